import { existsSync } from "node:fs";
import { currentProcess, isAlive } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { restoreLeftWork } from "./commit-left-work.ts";
import { findAdminFolder } from "./git-admin-folder.ts";
import { creationLock, openedWorktree, type Worktree } from "./create-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { reservePorts } from "./port-blocks.ts";
import { worktreeEnvironment } from "./prepare-worktree.ts";
import { openRepository, type RepositoryContext } from "./repository.ts";
import { readEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

/**
 * Makes this process the owner of an existing worktree. Its base stays, so earlier commits still count as work. `adopt`
 * also takes it from a live process: use it only if the worktree belongs to the caller's agent.
 */
export async function resumeWorktree(
  place: RepositoryContext,
  name: string,
  { adopt = false }: { readonly adopt?: boolean } = {},
): Promise<Worktree | undefined> {
  const repository = await openRepository(place);
  return withRepositoryLock(place, creationLock(repository), async () => {
    const entry = await readEntry(repository, name);
    if (!entry || !(entry.state === "kept" || entry.state === "live")) return undefined;
    if (!adopt && entry.state === "live" && entry.owner.pid !== process.pid && isAlive(entry.owner) !== "dead") {
      throw new TroupeError("git", `cannot resume the worktree ${name}: process ${entry.owner.pid} uses it`);
    }
    const admin = existsSync(entry.path) ? await findAdminFolder(repository, entry.path) : undefined;
    if (!admin) return undefined;
    await restoreLeftWork(repository, { path: entry.path, admin: admin.path });
    if (admin.lockedBecause === undefined) {
      await repository.ask(["worktree", "lock", "--reason", entry.agentId, entry.path]);
    }
    const portBase = entry.ports > 0 ? await reservePorts(place, { path: entry.path, count: entry.ports }) : undefined;
    const live: WorktreeEntry = {
      ...entry,
      state: "live",
      owner: currentProcess(),
      reasons: [],
      ...(portBase !== undefined && { portBase }),
    };
    await writeEntry(repository, live);
    return { ...openedWorktree(repository, live, worktreeEnvironment(live)), notices: [] };
  });
}
