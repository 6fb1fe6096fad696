import { dirname } from "node:path";
import { makeFolder } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { gitErrorText, type Repository } from "./repository.ts";
import { forgetWorktree, removeBranch, removeFolder } from "./undo-creation.ts";
import type { WorktreeEntry } from "./worktree-entry.ts";

/**
 * Creates the branch and an empty worktree, so that others do not wait for the files. `--no-track`, because tracking
 * changes the shared config. With `hasBranch` its branch is there already. A concurrent git (fetch, gc, prune) may hold a lock or remove a folder it takes for stale,
 * so it is retried.
 */
export async function addWorktree(
  repository: Repository,
  entry: WorktreeEntry,
  { hasBranch = false }: { readonly hasBranch?: boolean } = {},
): Promise<void> {
  const { path, branch, base, agentId, name } = entry;
  const newBranch = branch === undefined ? ["--detach", path, base] : ["--no-track", "-b", branch, path, base];
  const place = hasBranch ? [path, branch ?? base] : newBranch;
  const args = ["worktree", "add", "--no-checkout", "--lock", "--reason", agentId, ...place];
  const { clock, signal } = repository.place;
  const deadline = clock.monotonic() + lockTimeoutMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
    // It may have been removed with the last worktree.
    await makeFolder(dirname(path));
    const added = await repository.git(args, { operation: name });
    if (added.ok) return;
    signal?.throwIfAborted();
    if (clock.monotonic() > deadline || !isTransient(added.stderr)) throw addFailed(path, added.stderr);
    await removeFolder(path);
    await forgetWorktree(repository, entry);
    if (!hasBranch && !(await removeBranch(repository, entry, base))) throw addFailed(path, added.stderr);
    await clock.sleep(pause, signal);
  }
}

/** Retries while another git holds a lock. */
export async function retryWhileLocked(
  { place: { clock, signal } }: Repository,
  run: () => ReturnType<Repository["git"]>,
): ReturnType<Repository["git"]> {
  const deadline = clock.monotonic() + lockTimeoutMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
    const result = await run();
    if (result.ok || !isLocked(result.stderr) || clock.monotonic() > deadline) return result;
    await clock.sleep(pause, signal);
  }
}

const lockTimeoutMs = 10_000;

const isLocked = (stderr: string) => /\.lock['": ]|could not lock/.test(stderr);

const isTransient = (stderr: string) =>
  !/No space left|quota exceeded|Read-only file system|Permission denied|already exists|already checked out|unknown option|usage:/i.test(
    stderr,
  ) || isLocked(stderr);

export function addFailed(path: string, stderr: string): TroupeError {
  const detail = gitErrorText(stderr) || "git was killed";
  const wayOut = isLocked(stderr)
    ? " Another git runs in this repository, or one was killed there. Wait for it, or remove the lock file if you are sure."
    : /No space left|quota/i.test(stderr)
      ? " Free some space and try again."
      : /Read-only|Permission denied/i.test(stderr)
        ? " Check the write permissions there."
        : /unknown option|usage:/.test(stderr)
          ? " Worktrees need git 2.35 or newer."
          : "";
  return new TroupeError("git", `cannot make the worktree ${path}: ${detail}.${wayOut}`);
}
