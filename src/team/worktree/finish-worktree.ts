import { existsSync } from "node:fs";
import { join } from "node:path";
import { currentProcess, isAlive } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { findAdminFolder } from "./admin-folder.ts";
import { creationLock } from "./create-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { inspectWorktree, type Inspection } from "./inspect-worktree.ts";
import { releasePorts } from "./port-blocks.ts";
import { gitErrorText, openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { forgetWorktree, removeBranch, removeEmptyFolder, removeFolder } from "./undo-creation.ts";
import { readEntry, removeEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

export interface FinishRequest {
  readonly name: string;
  /** Told before each step, and awaited. */
  onStep?(step: string): void | Promise<void>;
}

export type FinishedWorktree =
  | { readonly outcome: "removed"; readonly rescued: readonly string[] }
  | {
      readonly outcome: "kept";
      readonly reasons: readonly string[];
      readonly path: string;
      readonly branch: string | undefined;
      /** Refs under which commits that had none are kept now. */
      readonly rescued: readonly string[];
    };

/** What becomes of a worktree whose agent has finished: kept if anything at all would be lost with it, else removed. */
export async function finishWorktree(place: RepositoryContext, request: FinishRequest): Promise<FinishedWorktree> {
  const repository = await openRepository(place);
  const entry = await readEntry(repository, request.name);
  if (!entry) {
    throw new TroupeError("git", `there is no worktree ${request.name}; 'troupe worktree list' shows those there are`);
  }
  if (entry.state !== "kept" && entry.owner.pid !== process.pid && isAlive(entry.owner) !== "dead") {
    throw new TroupeError(
      "git",
      `the worktree ${entry.name} belongs to process ${entry.owner.pid}, which is at work in it`,
    );
  }
  // Looked at before its turn comes: others need not wait for that, and nobody else may touch it.
  const found = await inspectWorktree(repository, entry);
  return withRepositoryLock(place, creationLock(repository), () =>
    settleWorktree(repository, entry, { ...request, found }),
  );
}

/** In the repository's turn only. */
export async function settleWorktree(
  repository: Repository,
  entry: WorktreeEntry,
  options: Pick<FinishRequest, "onStep"> & { readonly found?: Inspection },
): Promise<FinishedWorktree> {
  const { onStep = () => undefined, found = await inspectWorktree(repository, entry) } = options;
  const cutShort = entry.state === "removing" && isLeftOver(entry, found);
  if (found.reasons.length > 0 && !cutShort) {
    const rescued = await rescue(repository, entry, found.detached);
    return keep(repository, entry, { reasons: found.reasons, rescued });
  }
  const rescued = await rescue(repository, entry, [...found.detached, ...found.dropped]);
  await onStep("mark removing");
  await writeEntry(repository, { ...entry, state: "removing", owner: currentProcess() });
  await onStep("unlock");
  await unlock(repository, entry);
  await onStep("remove");
  const refusal = cutShort ? await removeRest(repository, entry) : await removeTree(repository, entry);
  if (refusal !== undefined) return keep(repository, entry, { reasons: [refusal], rescued });
  await onStep("remove branch");
  await removeBranch(repository, entry, entry.landed ?? entry.base);
  await onStep("forget");
  if (entry.portBase !== undefined) await releasePorts(repository.place, entry.path);
  await removeEntry(repository, entry.name);
  await removeEmptyFolder(repository);
  return { outcome: "removed", rescued };
}

/** A removal that was decided on, then killed: what is left is files of the base, or nothing. */
function isLeftOver(entry: WorktreeEntry, found: Inspection): boolean {
  if (found.commits > 0 || found.reasons.length > 1) return false;
  if (found.reasons.length === 0) return !existsSync(join(entry.path, ".git"));
  return found.onlyMissingFiles || /^(missing|unknown):/.test(found.reasons[0] ?? "");
}

async function removeRest(repository: Repository, entry: WorktreeEntry): Promise<undefined> {
  await removeFolder(entry.path);
  await forgetWorktree(repository, entry);
}

/** By git, which looks again and refuses if anything has changed. It never removes one with submodules, changed or not. */
async function removeTree(repository: Repository, entry: WorktreeEntry): Promise<string | undefined> {
  const removed = await repository.git(["worktree", "remove", entry.path], { operation: entry.name });
  if (removed.ok) return undefined;
  if (/containing submodules/.test(removed.stderr)) return removeRest(repository, entry);
  return `unknown: git does not remove it (${gitErrorText(removed.stderr)})`;
}

async function keep(
  repository: Repository,
  entry: WorktreeEntry,
  { reasons, rescued }: { reasons: readonly string[]; rescued: readonly string[] },
): Promise<FinishedWorktree> {
  await unlock(repository, entry);
  if (entry.portBase !== undefined) await releasePorts(repository.place, entry.path);
  const { portBase: _, ...rest } = entry;
  await writeEntry(repository, { ...rest, state: "kept", reasons: [...reasons] });
  return { outcome: "kept", reasons, path: entry.path, branch: entry.branch, rescued };
}

/** Our own lock only. */
async function unlock(repository: Repository, entry: WorktreeEntry): Promise<void> {
  const admin = await findAdminFolder(repository, entry.path);
  if (admin?.lockedBecause === entry.agentId) await repository.git(["worktree", "unlock", entry.path]);
}

/** Commits that nothing but this worktree leads to get a ref, before anything else happens to it. */
async function rescue(repository: Repository, entry: WorktreeEntry, commits: readonly string[]): Promise<string[]> {
  const refs: string[] = [];
  for (const commit of commits) {
    const ref = `refs/troupe/rescue/${entry.name}/${commit.slice(0, 12)}`;
    await repository.ask(["update-ref", "-m", "troupe: kept from a worktree", ref, commit]);
    refs.push(ref);
  }
  return refs;
}
