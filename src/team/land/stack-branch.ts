import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { gitFailed, gitErrorText, type Repository } from "../worktree/repository.ts";
import { type Conflict, describeConflict, type ResolveConflict } from "./describe-conflict.ts";

export interface StackRequest {
  readonly branch: string;
  readonly tip: string;
  /** What it is put on. */
  readonly onto: string;
  /** The throw-away working tree. */
  readonly path: string;
  /** Who commits, where git has to make new commits of the branch's. */
  readonly identity: Readonly<Record<string, string>>;
  readonly resolve?: ResolveConflict | undefined;
}

export type StackResult =
  | { readonly kind: "stacked"; readonly commit: string; readonly commits: number; readonly resolved: boolean }
  | { readonly kind: "nothing new" }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

/**
 * Puts one branch on top of `onto` in the throw-away working tree; the branch itself is not touched. It is rebased, unless
 * merges are among its commits: a rebase would drop them, and whatever was changed in them.
 */
export async function stackBranch(repository: Repository, stacking: StackRequest): Promise<StackResult> {
  const { tip, onto, path, identity } = stacking;
  const call = { cwd: path, settings: identity };
  const range = `${onto}..${tip}`;
  const commits = Number(await repository.ask(["rev-list", "--count", range]));
  if (commits === 0) return { kind: "nothing new" };
  const base = (await repository.git(["merge-base", onto, tip])).stdout.trim();
  if (base === "") throw new TroupeError("git", `${stacking.branch} has no commit in common with the current branch`);
  if (base === onto) {
    await resetTo(repository, path, tip);
    return { kind: "stacked", commit: tip, commits, resolved: false };
  }
  const hasMerges = (await repository.ask(["rev-list", "--merges", "--count", range])) !== "0";
  await resetTo(repository, path, hasMerges ? onto : tip);
  const args = hasMerges
    ? ["merge", "--no-ff", "--no-edit", "--no-verify", "-m", `Merge branch '${stacking.branch}'`, tip]
    : ["rebase", "--no-fork-point", "--no-verify", "--empty=drop", "--onto", onto, base];
  const done = await repository.git(args, call);
  const resolved = done.ok
    ? "no need"
    : await settle(repository, stacking, { base, failure: gitFailed(args, done.stderr) });
  if (typeof resolved === "object") return { kind: "conflict", conflict: resolved };
  const commit = await repository.ask(["rev-parse", "HEAD"], { cwd: path });
  if (commit === onto) return { kind: "nothing new" };
  return { kind: "stacked", commit, commits, resolved: resolved === "resolved" };
}

/** The throw-away tree exactly at a commit, whatever a rebase or a check left in it. What git ignores stays: it is set-up's. */
export async function resetTo(repository: Repository, path: string, commit: string): Promise<void> {
  await repository.git(["rebase", "--abort"], { cwd: path });
  await repository.ask(["checkout", "--force", "--quiet", "--detach", commit], { cwd: path });
  await repository.ask(["reset", "--hard", "--quiet", commit], { cwd: path });
  await repository.ask(["clean", "-ffdq"], { cwd: path });
}

/** Conflict by conflict, as long as somebody settles them. */
async function settle(
  repository: Repository,
  stacking: StackRequest,
  { base, failure }: { base: string; failure: TroupeError },
): Promise<"resolved" | Conflict> {
  const { path, identity, resolve } = stacking;
  const call = { cwd: path, settings: identity };
  let next = failure;
  for (let round = 0; round < roundLimit; round++) {
    const conflict = await describeConflict(repository, { ...stacking, base });
    if (conflict.files.length === 0) throw next;
    const before = await whereAt(repository, path);
    const given = resolve === undefined ? "given up" : await resolve(conflict, repository.place.signal);
    if (given === "given up" || (await unresolvedFiles(conflict))) return conflict;
    // Who settled it has committed or gone on by itself: what came of that is not what is landed here.
    if ((await whereAt(repository, path)) !== before) return conflict;
    await repository.ask(["add", "--all"], call);
    const rebasing = (await repository.git(["rev-parse", "--verify", "--quiet", "REBASE_HEAD"], call)).ok;
    const args = rebasing ? ["rebase", "--continue"] : ["commit", "--no-edit", "--no-verify", "--quiet"];
    const progressed = await repository.git(args, call);
    if (progressed.ok) return "resolved";
    next = new TroupeError("git", `${stacking.branch} cannot be put on top: ${gitErrorText(progressed.stderr)}`);
  }
  throw next;
}

const roundLimit = 100;

const whereAt = async (repository: Repository, cwd: string) =>
  (await repository.git(["rev-parse", "HEAD", "REBASE_HEAD"], { cwd })).stdout;

async function unresolvedFiles({ path, files }: Conflict): Promise<boolean> {
  for (const file of files) {
    try {
      if (/^(<{7}|>{7}) /m.test(await readFile(join(path, file), "utf8"))) return true;
    } catch (error) {
      // Removing the file is a way to settle it.
      if (!hasErrorCode(error, "ENOENT")) throw error;
    }
  }
  return false;
}
