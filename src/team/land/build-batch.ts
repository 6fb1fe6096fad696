import type { LandSettings } from "../../protocol/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { Repository } from "../worktree/repository.ts";
import { type CommandResult, runCommand } from "../worktree/run-command.ts";
import type { ChosenBranch } from "./choose-branches.ts";
import { committerIdentity } from "./committer-identity.ts";
import type { ResolveConflict } from "./describe-conflict.ts";
import { findFirstFailing } from "./bisect-failing-branch.ts";
import type { LandingWorktree } from "./landing-worktree.ts";
import { type OpenConflict, resetTo, stackBranch } from "./stack-branch.ts";

export interface LandedBranch {
  readonly branch: string;
  /** The tip of the branch itself. */
  readonly tip: string;
  /** The commit in the target's history. */
  readonly commit: string;
  readonly commits: number;
  /** A conflict was resolved on the way. */
  readonly resolved: boolean;
}

export type RefusedBranch =
  | { readonly branch: string; readonly reason: "nothing new" }
  | ({ readonly branch: string; readonly reason: "conflict" } & OpenConflict)
  | { readonly branch: string; readonly reason: "red"; readonly how: string; readonly tail: string };

export interface Batch {
  readonly after: string;
  readonly landed: readonly LandedBranch[];
  readonly refused: readonly RefusedBranch[];
}

export interface BatchRequest {
  readonly tree: LandingWorktree;
  readonly before: string;
  readonly branches: readonly ChosenBranch[];
  readonly check: LandSettings | undefined;
  readonly resolveConflict?: ResolveConflict;
  onProgress?(line: string): void;
}

/**
 * Stacks all branches and checks the result once. If the check fails, bisecting finds the first branch that breaks it.
 * That branch is left out, and later branches are stacked again on the last passing commit.
 */
export async function buildBatch(repository: Repository, request: BatchRequest): Promise<Batch> {
  const landed: LandedBranch[] = [];
  const refused: RefusedBranch[] = [];
  let passingCommit = request.before;
  for (let remaining = request.branches; remaining.length > 0; ) {
    const stack = await stackAll(repository, request, { onto: passingCommit, branches: remaining });
    const failingIndex = await findFailingBranch(repository, request, stack.landed);
    const good = stack.landed.slice(0, failingIndex?.at);
    landed.push(...good);
    passingCommit = good.at(-1)?.commit ?? passingCommit;
    const culprit = failingIndex && stack.landed[failingIndex.at];
    if (!failingIndex || !culprit) {
      refused.push(...stack.refused);
      break;
    }
    if (landed.length === 0 && passingCommit === request.before) await assertTargetPasses(repository, request);
    refused.push({
      branch: culprit.branch,
      reason: "red",
      how: failingIndex.result.how,
      tail: failingIndex.result.tail,
    });
    request.onProgress?.(`${culprit.branch} makes the check fail and is left out`);
    // Branches after the failing one that had conflicts may fit without it.
    const at = remaining.findIndex(({ branch }) => branch === culprit.branch);
    refused.push(
      ...stack.refused.filter(({ branch }) => remaining.slice(0, at).some((other) => other.branch === branch)),
    );
    remaining = remaining.slice(at + 1);
  }
  return { after: passingCommit, landed, refused };
}

async function stackAll(
  repository: Repository,
  { tree, resolveConflict, onProgress }: BatchRequest,
  { onto, branches }: { onto: string; branches: readonly ChosenBranch[] },
): Promise<{ landed: LandedBranch[]; refused: RefusedBranch[] }> {
  const landed: LandedBranch[] = [];
  const refused: RefusedBranch[] = [];
  for (const { branch, tip } of branches) {
    const stacked = await stackBranch(repository, {
      branch,
      tip,
      onto: landed.at(-1)?.commit ?? onto,
      path: tree.path,
      identity: await committerIdentity(repository, tip),
      resolve: resolveConflict,
    });
    if (stacked.kind === "stacked") {
      onProgress?.(`${branch}: ${stacked.commits} commit${stacked.commits === 1 ? "" : "s"} stacked`);
      landed.push({ branch, tip, commit: stacked.commit, commits: stacked.commits, resolved: stacked.resolved });
    } else if (stacked.kind === "conflict") {
      onProgress?.(`${branch}: conflict in ${stacked.conflict.files.join(", ")}`);
      refused.push({ branch, reason: "conflict", conflict: stacked.conflict, why: stacked.why });
    } else refused.push({ branch, reason: "nothing new" });
  }
  return { landed, refused };
}

async function findFailingBranch(
  repository: Repository,
  request: BatchRequest,
  stacked: readonly LandedBranch[],
): Promise<{ at: number; result: CommandResult } | undefined> {
  const results = new Map<number, CommandResult>();
  const isFailing = async (count: number) => {
    const commit = stacked[count - 1]?.commit ?? request.before;
    const result = await check(repository, request, commit);
    if (result) results.set(count, result);
    return result !== undefined && !result.ok;
  };
  if (stacked.length === 0 || !(await isFailing(stacked.length))) return undefined;
  if (stacked.length > 1)
    request.onProgress?.("the check fails for all branches together: looking for the branch that breaks it");
  const at = await findFirstFailing(stacked.length, isFailing);
  const result = results.get(at + 1);
  return result && { at, result };
}

/** Undefined if there is no check. */
async function check(
  repository: Repository,
  { tree, check: settings, onProgress }: BatchRequest,
  commit: string,
): Promise<CommandResult | undefined> {
  if (settings?.check === undefined) return undefined;
  await resetTo(repository, tree.path, commit);
  onProgress?.(`check at ${commit.slice(0, 9)}: ${settings.check}`);
  const { place } = repository;
  const sandbox = place.sandboxFor?.(tree.path);
  const run = {
    command: settings.check,
    cwd: tree.path,
    env: { ...place.env, ...tree.env },
    timeoutMs: settings.checkTimeoutMs ?? 30 * 60_000,
    sandbox,
  };
  try {
    const result = await runCommand(place, run);
    return result.how === commandNotFound ? { ...result, how: `${commandNotFound}: ${notFoundText(tree)}` } : result;
  } finally {
    await sandbox?.close();
  }
}

const commandNotFound = "exit code 127";

const notFoundText = ({ put }: LandingWorktree) => {
  const others = put.length === 0 ? "" : ` plus ${put.slice(0, 5).join(", ")}`;
  return `a command was not found. The check runs in its own worktree, which has only what git tracks${others}. Use worktree.link or worktree.setup in the settings for the rest`;
};

/** A check that fails without any branch proves nothing about the first branch. */
async function assertTargetPasses(repository: Repository, request: BatchRequest): Promise<void> {
  const result = await check(repository, request, request.before);
  if (!result || result.ok) return;
  const message = `cannot land: the check already fails on the current branch (${result.how}). Fix it first. Its output ends with: ${result.tail.slice(-600)}`;
  throw new TroupeError("git", message);
}
