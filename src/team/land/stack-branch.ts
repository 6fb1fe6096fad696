import { TroupeError } from "../../protocol/index.ts";
import { gitFailed, gitErrorText, type Repository } from "../worktree/repository.ts";
import { type Conflict, describeConflict, type ResolveConflict } from "./describe-conflict.ts";
import { leftMarkers } from "./left-markers.ts";

export interface StackRequest {
  readonly branch: string;
  readonly tip: string;
  /** The commit to stack it on. */
  readonly onto: string;
  /** The temporary worktree. */
  readonly path: string;
  /** The committer of commits that git has to rewrite. */
  readonly identity: Readonly<Record<string, string>>;
  readonly resolve?: ResolveConflict | undefined;
}

export type StackResult =
  | { readonly kind: "stacked"; readonly commit: string; readonly commits: number; readonly resolved: boolean }
  | { readonly kind: "nothing new" }
  | ({ readonly kind: "conflict" } & OpenConflict);

export interface OpenConflict {
  readonly conflict: Conflict;
  /** Why the resolver did not resolve it. Undefined if there is no resolver. */
  readonly why: string | undefined;
}

/**
 * Stacks one branch on `onto` in the temporary worktree, without touching the branch itself. Rebases it, or merges it
 * if it contains merges: a rebase would drop them with their changes.
 */
export async function stackBranch(repository: Repository, stacking: StackRequest): Promise<StackResult> {
  const { tip, onto, path, identity } = stacking;
  const call = { cwd: path, settings: identity };
  const range = `${onto}..${tip}`;
  const commits = Number(await repository.ask(["rev-list", "--count", range]));
  if (commits === 0) return { kind: "nothing new" };
  const base = (await repository.git(["merge-base", onto, tip])).stdout.trim();
  if (base === "")
    throw new TroupeError("git", `cannot land ${stacking.branch}: it has no commit in common with the current branch`);
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
  if (typeof resolved === "object") return { kind: "conflict", ...resolved };
  const commit = await repository.ask(["rev-parse", "HEAD"], { cwd: path });
  if (commit === onto) return { kind: "nothing new" };
  return { kind: "stacked", commit, commits, resolved: resolved === "resolved" };
}

/**
 * Resets the temporary worktree to a commit, whatever a rebase or check left in it. Ignored files stay, because the
 * setup made them.
 */
export async function resetTo(repository: Repository, path: string, commit: string): Promise<void> {
  await repository.git(["rebase", "--abort"], { cwd: path });
  await repository.ask(["checkout", "--force", "--quiet", "--detach", commit], { cwd: path });
  await repository.ask(["reset", "--hard", "--quiet", commit], { cwd: path });
  await repository.ask(["clean", "-ffdq"], { cwd: path });
}

/** Resolves conflicts one by one until the resolver stops. */
async function settle(
  repository: Repository,
  stacking: StackRequest,
  { base, failure }: { base: string; failure: TroupeError },
): Promise<"resolved" | OpenConflict> {
  const { path, identity, resolve } = stacking;
  const call = { cwd: path, settings: identity };
  let next = failure;
  for (let round = 0; round < roundLimit; round++) {
    const conflict = await describeConflict(repository, { ...stacking, base });
    if (conflict.files.length === 0) throw next;
    const before = await whereAt(repository, path);
    if (resolve === undefined) return { conflict, why: undefined };
    const given = await resolve(conflict, repository.place.signal);
    if (given !== "resolved") return { conflict, why: given.unresolved };
    const left = await leftMarkers(conflict);
    if (left.length > 0) return { conflict, why: `it left conflict markers in ${left.slice(0, 5).join("; ")}` };
    // That result does not land.
    if ((await whereAt(repository, path)) !== before)
      return { conflict, why: "it committed or continued the rebase itself" };
    await repository.ask(["add", "--all"], call);
    const rebasing = (await repository.git(["rev-parse", "--verify", "--quiet", "REBASE_HEAD"], call)).ok;
    const args = rebasing ? ["rebase", "--continue"] : ["commit", "--no-edit", "--no-verify", "--quiet"];
    const progressed = await repository.git(args, call);
    if (progressed.ok) return "resolved";
    next = new TroupeError("git", `cannot stack ${stacking.branch}: ${gitErrorText(progressed.stderr)}`);
  }
  throw next;
}

const roundLimit = 100;

const whereAt = async (repository: Repository, cwd: string) =>
  (await repository.git(["rev-parse", "HEAD", "REBASE_HEAD"], { cwd })).stdout;
