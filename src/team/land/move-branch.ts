import { TroupeError } from "../../protocol/index.ts";
import { gitFailed, gitErrorText, type Repository } from "../worktree/repository.ts";

export interface BranchMove {
  readonly id: string;
  readonly target: string;
  readonly top: string;
  readonly before: string;
  readonly after: string;
}

/** Fails early if git cannot update the files. Changes nothing. */
export async function tryMove(repository: Repository, { before, after }: BranchMove): Promise<void> {
  await repository.git(["update-index", "-q", "--refresh"]);
  const tried = await repository.git(["read-tree", "-n", "-m", "-u", before, after]);
  if (tried.ok) return;
  const why = gitErrorText(tried.stderr).replace(/\.$/, "");
  throw new TroupeError("git", `cannot update the files of ${repository.top}: ${why}. Nothing was changed.`);
}

/**
 * Moves the branch if it is still at `before`, then updates index and files. The ref decides: a crash before the move
 * changes nothing, and the next start finishes a crash after it. False if the branch has moved.
 */
export async function moveBranch(
  repository: Repository,
  move: BranchMove,
  onStep: (step: string) => void | Promise<void>,
): Promise<boolean> {
  const { id, target, before, after } = move;
  const head = (await repository.git(["symbolic-ref", "--quiet", "HEAD"])).stdout.trim();
  if (head !== target)
    throw new TroupeError("git", `cannot land: ${repository.top} is no longer on ${target}. Nothing was changed.`);
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
  await repository.ask(["update-ref", "-m", "troupe land: rolled back", target, before, after]);
  throw new TroupeError("git", `cannot update the files of ${repository.top}: ${failure}. The branch was rolled back.`);
}

async function updateFiles(repository: Repository, { id, before, after }: BranchMove): Promise<string | undefined> {
  const { clock } = repository.place;
  const deadline = clock.monotonic() + lockTimeoutMs;
  for (;;) {
    const read = await repository.git(["read-tree", "-m", "-u", before, after], { operation: id });
    if (read.ok) return undefined;
    if (!/index\.lock/.test(read.stderr) || clock.monotonic() > deadline)
      return gitErrorText(read.stderr).replace(/\.$/, "");
    await clock.sleep(100);
  }
}

const lockTimeoutMs = 5000;
