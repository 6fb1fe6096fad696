import { existsSync } from "node:fs";
import { join } from "node:path";
import { currentProcess, isAlive } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { commitLeftWork } from "./commit-left-work.ts";
import { findAdminFolder } from "./git-admin-folder.ts";
import { creationLock } from "./create-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { inspectWorktree, type Inspection } from "./inspect-worktree.ts";
import { releasePorts } from "./port-blocks.ts";
import { gitErrorText, openRepository, type Repository, type RepositoryContext } from "./repository.ts";
import { forgetWorktree, removeBranch, removeEmptyFolder, removeFolder } from "./undo-creation.ts";
import { readEntry, removeEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";
import { landingTarget } from "./worktree-state.ts";

export interface FinishRequest {
  readonly name: string;
  /** The agent, if it is over: its uncommitted files are committed to its branch first. */
  readonly endedAgent?: string | undefined;
  /** Awaited before each step. */
  onStep?(step: string): void | Promise<void>;
}

export type FinishedWorktree =
  | {
      readonly outcome: "removed";
      readonly rescued: readonly string[];
      /** Its commits, if they have landed. */
      readonly landed: LandedCommits | undefined;
    }
  | {
      readonly outcome: "kept";
      readonly reasons: readonly string[];
      readonly path: string;
      readonly branch: string | undefined;
      /** Refs that now keep commits without a ref. */
      readonly rescued: readonly string[];
    };

interface LandedCommits {
  readonly commits: number;
  /** The branch that has them. Undefined if it is not known. */
  readonly target: string | undefined;
}

/** Finishes the worktree of an agent that has ended: keeps it if anything would be lost, else removes it. */
export async function finishWorktree(place: RepositoryContext, request: FinishRequest): Promise<FinishedWorktree> {
  const repository = await openRepository(place);
  const entry = await readEntry(repository, request.name);
  if (!entry) {
    throw new TroupeError("git", `there is no worktree ${request.name}. Run 'troupe worktree list' to see all.`);
  }
  if (entry.state !== "kept" && entry.owner.pid !== process.pid && isAlive(entry.owner) !== "dead") {
    throw new TroupeError("git", `cannot finish the worktree ${entry.name}: process ${entry.owner.pid} works in it`);
  }
  if (request.endedAgent !== undefined) await commitLeftWork(repository, entry, request.endedAgent);
  // Inspect before taking the lock, so that others do not wait. No other process may touch it.
  const found = await inspectWorktree(repository, entry);
  return withRepositoryLock(place, creationLock(repository), () =>
    settleWorktree(repository, entry, { ...request, found }),
  );
}

/** Call it only with the repository lock held. */
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
  const landed = await landedCommits(repository, entry);
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
  return { outcome: "removed", rescued, landed };
}

async function landedCommits(
  repository: Repository,
  entry: Pick<WorktreeEntry, "base" | "landed" | "baseBranch">,
): Promise<LandedCommits | undefined> {
  if (entry.landed === undefined) return undefined;
  const counted = await repository.git(["rev-list", "--count", `${entry.base}..${entry.landed}`, "--"]);
  if (!counted.ok) return undefined;
  return { commits: Number(counted.stdout), target: await landingTarget(repository, entry) };
}

/** A removal that was killed: only files of the base are left, or nothing. */
function isLeftOver(entry: WorktreeEntry, found: Inspection): boolean {
  if (found.commits > 0 || found.reasons.length > 1) return false;
  if (found.reasons.length === 0) return !existsSync(join(entry.path, ".git"));
  return found.onlyMissingFiles || /^(missing|unknown):/.test(found.reasons[0] ?? "");
}

async function removeRest(repository: Repository, entry: WorktreeEntry): Promise<undefined> {
  await removeFolder(entry.path);
  await forgetWorktree(repository, entry);
}

/**
 * Removes it with git, which checks again and refuses if anything changed. Git never removes a worktree with
 * submodules.
 */
async function removeTree(repository: Repository, entry: WorktreeEntry): Promise<string | undefined> {
  const removed = await repository.git(["worktree", "remove", entry.path], { operation: entry.name });
  if (removed.ok) return undefined;
  if (/containing submodules/.test(removed.stderr)) return removeRest(repository, entry);
  return `unknown: git does not remove it (${gitErrorText(removed.stderr)})`;
}

/** Keeps it, with the reasons. Call it only with the repository lock held. */
export async function keep(
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

/** Removes only Troupe's own lock. */
async function unlock(repository: Repository, entry: WorktreeEntry): Promise<void> {
  const admin = await findAdminFolder(repository, entry.path);
  if (admin?.lockedBecause === entry.agentId) await repository.git(["worktree", "unlock", entry.path]);
}

/** Gives commits that only this worktree references a ref, before anything else happens to it. */
async function rescue(repository: Repository, entry: WorktreeEntry, commits: readonly string[]): Promise<string[]> {
  const refs: string[] = [];
  for (const commit of commits) {
    const ref = `refs/troupe/rescue/${entry.name}/${commit.slice(0, 12)}`;
    await repository.ask(["update-ref", "-m", "troupe: kept from a worktree", ref, commit]);
    refs.push(ref);
  }
  return refs;
}
