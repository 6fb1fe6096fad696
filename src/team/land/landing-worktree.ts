import { join } from "node:path";
import { currentProcess } from "../../platform/index.ts";
import type { WorktreeSettings } from "../../protocol/index.ts";
import { addWorktree } from "../worktree/add-worktree.ts";
import { creationLock, undoOnFailure, worktreeFolder } from "../worktree/create-worktree.ts";
import { withRepositoryLock } from "../worktree/repository-lock.ts";
import { prepareWorktree } from "../worktree/prepare-worktree.ts";
import { openRepository, type Repository } from "../worktree/repository.ts";
import { undoCreation } from "../worktree/undo-creation.ts";
import { readEntry, type WorktreeEntry, writeEntry } from "../worktree/worktree-entry.ts";
import { landingAgentId } from "./recover-landing.ts";

export interface LandingWorktree {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** Paths that git ignores and that are there all the same, such as `node_modules`. */
  readonly put: readonly string[];
}

interface LandingWorktreeOptions {
  readonly before: string;
  readonly settings: WorktreeSettings;
  onStep(step: string): void | Promise<void>;
}

/**
 * Runs `work` in a temporary worktree at the target's tip, set up like an agent's. The worktree is always removed
 * afterwards.
 */
export async function withLandingWorktree<T>(
  repository: Repository,
  { before, settings, onStep }: LandingWorktreeOptions,
  work: (tree: LandingWorktree) => Promise<T>,
): Promise<T> {
  const { place } = repository;
  const id = place.createId<string>("land").slice(-12);
  const name = `land-${id}`;
  const entry: WorktreeEntry = {
    v: 1,
    name,
    state: "making",
    path: join(await worktreeFolder(repository, settings), name),
    base: before,
    agentId: `${landingAgentId} ${id}`,
    owner: currentProcess(),
    createdAt: new Date(place.clock.now()).toISOString(),
    put: [],
    ports: settings.ports ?? 10,
    disposable: [],
    reasons: [],
  };
  await onStep("tree");
  await withRepositoryLock(place, creationLock(repository), async () => {
    await writeEntry(repository, entry);
    await undoOnFailure(repository, entry, () => addWorktree(repository, entry));
  });
  const { env, entry: ready } = await undoOnFailure(repository, entry, () =>
    prepareWorktree(repository, entry, { settings, readyState: "landing", onStep: () => undefined }),
  );
  try {
    await onStep("build");
    return await work({ path: entry.path, env, put: ready.put.map(({ path }) => path) });
  } finally {
    const { signal: _, ...calm } = place;
    const again = await openRepository(calm);
    await undoCreation(again, (await readEntry(again, name)) ?? entry);
  }
}
