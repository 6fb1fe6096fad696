import { TroupeError } from "../../protocol/index.ts";
import { gitFailed, gitErrorText, type Repository } from "../worktree/repository.ts";

export interface BranchMove {
  readonly id: string;
  readonly target: string;
  readonly top: string;
  readonly before: string;
  readonly after: string;
}

/** Why the working tree cannot take part in a landing; undefined when it can. */
export async function uncleanReason(repository: Repository): Promise<string | undefined> {
  const status = await repository.ask([
    "status",
    "--porcelain",
    "-z",
    "--untracked-files=no",
    "--no-renames",
    "--ignore-submodules=dirty",
  ]);
  const changed = status
    .split("\0")
    .filter(Boolean)
    .map((line) => line.slice(3));
  if (changed.length === 0) return undefined;
  const names = changed.slice(0, 5).join(", ") + (changed.length > 5 ? ` and ${changed.length - 5} more` : "");
  return `${repository.top} has changes that are not committed (${names}): commit or stash them first`;
}

/** Refuses what git would refuse in the working tree (a file in the way), while nothing has been done yet. */
export async function tryMove(repository: Repository, { before, after }: BranchMove): Promise<void> {
  await repository.git(["update-index", "-q", "--refresh"]);
  const tried = await repository.git(["read-tree", "-n", "-m", "-u", before, after]);
  if (tried.ok) return;
  throw new TroupeError(
    "git",
    `the files of ${repository.top} cannot be updated: ${gitErrorText(tried.stderr)}. Nothing has been changed.`,
  );
}

/**
 * Sets the branch, if it still stands where the landing began, and then lets git update index and files. The ref decides: a
 * crash before it has done nothing, and one after it is finished by the next start. False if the branch has moved meanwhile.
 */
export async function moveBranch(
  repository: Repository,
  move: BranchMove,
  onStep: (step: string) => void | Promise<void>,
): Promise<boolean> {
  const { id, target, before, after } = move;
  const head = (await repository.git(["symbolic-ref", "--quiet", "HEAD"])).stdout.trim();
  if (head !== target)
    throw new TroupeError("git", `${repository.top} is no longer on ${target}. Nothing has been changed.`);
  await onStep("move ref");
  const moved = await repository.git(["update-ref", "-m", "troupe land", target, after, before], { operation: id });
  if (!moved.ok) {
    const now = (await repository.git(["rev-parse", "--verify", "--quiet", target])).stdout.trim();
    if (now !== before) return false;
    throw gitFailed(["update-ref"], moved.stderr);
  }
  await onStep("move files");
  const failure = await updateFiles(repository, move);
  if (failure === undefined) return true;
  await repository.ask(["update-ref", "-m", "troupe land: taken back", target, before, after]);
  throw new TroupeError(
    "git",
    `the files of ${repository.top} cannot be updated: ${failure}. The branch is where it was.`,
  );
}

async function updateFiles(repository: Repository, { id, before, after }: BranchMove): Promise<string | undefined> {
  const { clock } = repository.place;
  const deadline = clock.monotonic() + lockTimeoutMs;
  for (;;) {
    const read = await repository.git(["read-tree", "-m", "-u", before, after], { operation: id });
    if (read.ok) return undefined;
    if (!/index\.lock/.test(read.stderr) || clock.monotonic() > deadline) return gitErrorText(read.stderr);
    await clock.sleep(100);
  }
}

const lockTimeoutMs = 5000;
