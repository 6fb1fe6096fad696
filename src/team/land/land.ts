import { join } from "node:path";
import { currentProcess, isAlive } from "../../platform/index.ts";
import { type LandSettings, TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import { withRepositoryLock } from "../worktree/repository-lock.ts";
import { openRepository, type Repository, type RepositoryContext } from "../worktree/repository.ts";
import { buildBatch, type LandedBranch, type RefusedBranch } from "./build-batch.ts";
import { chooseBranches } from "./choose-branches.ts";
import type { ResolveConflict } from "./describe-conflict.ts";
import { type LandJournal, readJournal, removeJournal, writeJournal } from "./land-journal.ts";
import { withLandingWorktree } from "./landing-worktree.ts";
import { assertNothingInTheWay, type IdenticalFile, type InTheWayAdvice, keptNotices } from "./files-in-the-way.ts";
import { stageFiles, unstageFiles } from "./identical-files.ts";
import { type BranchMove, moveBranch, tryMove } from "./move-branch.ts";
import { markLanded, recoverLanding } from "./recover-landing.ts";
import { pathsBetween, pathsOfBranches } from "./touched-paths.ts";

export interface LandRequest {
  readonly branches: readonly string[];
  readonly settings?: LandSettings;
  /** How to set up the temporary worktree in which the check runs. */
  readonly worktree?: WorktreeSettings;
  /** Reports what would land and what conflicts. Runs no check and moves nothing. */
  readonly dryRun?: boolean;
  readonly resolveConflict?: ResolveConflict;
  /** The next step if files of the working tree are in the way. */
  readonly advice?: InTheWayAdvice;
  /** Progress, one line at a time. */
  onProgress?(line: string): void;
  /** Awaited before each step. */
  onStep?(step: string): void | Promise<void>;
}

export interface LandReport {
  /** The target branch, and its tips before and after. */
  readonly target: string;
  readonly before: string;
  readonly after: string;
  readonly landed: readonly LandedBranch[];
  readonly refused: readonly RefusedBranch[];
  readonly check: string | undefined;
  readonly dryRun: boolean;
  readonly notices: readonly string[];
}

/**
 * Lands finished branches on the current one. Stacks them, runs the project's check on the result and moves the branch
 * in one step. Branches that conflict or fail the check are left out and reported.
 */
export async function land(place: RepositoryContext, request: LandRequest): Promise<LandReport> {
  const repository = await openRepository(place);
  return withRepositoryLock(place, landLock(repository, request), async () => {
    const recovered = await recoverLanding(repository, { rollBack: false });
    for (let attempt = 1; ; attempt++) {
      const report = await landOnce(repository, request);
      if (report) return { ...report, notices: [...(recovered?.notices ?? []), ...report.notices] };
      if (attempt === 3) throw new TroupeError("git", "cannot land: the current branch keeps moving. Try again.");
      request.onProgress?.("the current branch has moved: starting again from its new tip");
    }
  });
}

/**
 * True if a killed landing left branch and files in different states. A landing that moved nothing can wait for
 * `recoverInterruptedLanding`.
 */
export async function isLandingInterrupted(repository: Repository): Promise<boolean> {
  const journal = await readJournal(repository);
  return journal?.state === "moving" && isAlive(journal.owner) === "dead";
}

/** Recovers an interrupted landing. `rollBack` undoes it where possible. Returns the interrupted request. */
export async function recoverInterruptedLanding(place: RepositoryContext, options: { readonly rollBack: boolean }) {
  const repository = await openRepository(place);
  return withRepositoryLock(place, landLock(repository, {}), () => recoverLanding(repository, options));
}

const landLock = (repository: Repository, { onProgress }: Pick<LandRequest, "onProgress">) => ({
  folder: join(repository.stateFolder, "landing-turns"),
  what: `Landing in ${repository.top}`,
  waitMs: 60 * 60_000,
  onWait: (message: string) => onProgress?.(`waiting: ${message.split(". ")[0] ?? ""}`),
});

/** Undefined if the target moved in the meantime. */
async function landOnce(repository: Repository, request: LandRequest): Promise<LandReport | undefined> {
  const { place, top } = repository;
  const { onStep = () => undefined, settings = {}, dryRun = false, advice } = request;
  const target = await currentBranch(repository);
  const before = await repository.ask(["rev-parse", "--verify", "HEAD"]);
  const { branches, notices } = await chooseBranches(repository, { names: request.branches, target });
  const results = branches.map(({ tip }) => tip);
  if (!dryRun)
    await assertNothingInTheWay(repository, await pathsOfBranches(repository, { before, branches }), {
      results,
      advice,
    });
  const journal: LandJournal = {
    v: 1,
    id: place.createId("lnd"),
    state: "begun",
    target,
    top,
    before,
    branches: [...request.branches],
    ...(settings.check !== undefined && { check: settings.check }),
    landing: [],
    owner: currentProcess(),
    startedAt: new Date(place.clock.now()).toISOString(),
  };
  // A move that has started must finish even if the user aborts.
  const { signal: _, ...calmPlace } = place;
  const clearConfig = place.signal ? await openRepository(calmPlace) : repository;
  await onStep("begin");
  await writeJournal(repository, journal);
  try {
    const batch = await withLandingWorktree(repository, { before, settings: treeSettings(request), onStep }, (tree) =>
      buildBatch(repository, { ...request, tree, before, branches, check: dryRun ? undefined : settings }),
    );
    const report = { target, before, check: settings.check, dryRun, notices, ...batch };
    if (batch.after === before || dryRun) return report;
    place.signal?.throwIfAborted();
    // A rebase or a resolved conflict can touch other paths than the branches did.
    const touched = await pathsBetween(repository, before, batch.after);
    const state = await assertNothingInTheWay(repository, touched, { results: [batch.after], advice });
    const move = { id: journal.id, target, top, before, after: batch.after };
    const moved = await withStaged(clearConfig, state.identical, () =>
      moveTo(clearConfig, { journal, move, landed: batch.landed, onStep }),
    );
    return moved ? { ...report, notices: [...notices, ...keptNotices(state)] } : undefined;
  } finally {
    // After a failure too: journal and ref say what is left to do, as after a kill.
    await recoverLanding(clearConfig, { rollBack: false });
  }
}

/** Installed dependencies are only for a check, or for an agent that resolves conflicts. */
const treeSettings = ({ worktree = {}, settings, dryRun, resolveConflict }: LandRequest): WorktreeSettings =>
  resolveConflict || (settings?.check !== undefined && !dryRun) ? worktree : { ...worktree, dependencies: [] };

/** Git moves past a file that differs from HEAD only if the index has its content too. Undone if nothing moved. */
async function withStaged(
  repository: Repository,
  identical: readonly IdenticalFile[],
  move: () => Promise<boolean>,
): Promise<boolean> {
  const paths = identical.filter(({ isStaged }) => !isStaged).map(({ path }) => path);
  await stageFiles(repository, paths);
  let isMoved = false;
  try {
    isMoved = await move();
    return isMoved;
  } finally {
    if (!isMoved) await unstageFiles(repository, paths);
  }
}

interface Moving {
  readonly journal: LandJournal;
  readonly move: BranchMove;
  readonly landed: readonly LandedBranch[];
  onStep(step: string): void | Promise<void>;
}

async function moveTo(repository: Repository, { journal, move, landed, onStep }: Moving): Promise<boolean> {
  await tryMove(repository, move);
  await onStep("mark moving");
  const landing = landed.map(({ branch, tip }) => ({ branch, tip }));
  await writeJournal(repository, { ...journal, state: "moving", after: move.after, landing });
  if (!(await moveBranch(repository, move, onStep))) return false;
  await onStep("mark landed");
  await markLanded(repository, landing);
  await onStep("end");
  await removeJournal(repository);
  return true;
}

async function currentBranch(repository: Repository): Promise<string> {
  const head = await repository.git(["symbolic-ref", "--quiet", "HEAD"]);
  if (head.ok) return head.stdout.trim();
  throw new TroupeError(
    "git",
    `cannot land in ${repository.top}: it is on no branch (detached HEAD). Switch to the target branch.`,
  );
}
