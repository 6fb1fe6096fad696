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
import { type BranchMove, moveBranch, tryMove, uncleanReason } from "./move-branch.ts";
import { markLanded, recoverLanding } from "./recover-landing.ts";

export interface LandRequest {
  readonly branches: readonly string[];
  readonly settings?: LandSettings;
  /** How the throw-away worktree is set up, in which the check runs. */
  readonly worktree?: WorktreeSettings;
  /** Says what would land and what is in conflict; runs no check, and moves nothing. */
  readonly dryRun?: boolean;
  readonly resolveConflict?: ResolveConflict;
  /** One line at a time, for whoever watches. */
  onProgress?(line: string): void;
  /** Told before each step, and awaited. */
  onStep?(step: string): void | Promise<void>;
}

export interface LandReport {
  /** The branch that was landed on, and where it stood and stands. */
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
 * Brings finished branches to the current one: each is put on top of the one before it, the project's check is run on the
 * result, and the branch is moved there in one step. What does not fit or turns the check red is left out, and told.
 */
export async function land(place: RepositoryContext, request: LandRequest): Promise<LandReport> {
  const repository = await openRepository(place);
  return withRepositoryLock(place, landLock(repository, request), async () => {
    const recovered = await recoverLanding(repository, { rollBack: false });
    for (let attempt = 1; ; attempt++) {
      const report = await landOnce(repository, request);
      if (report) return { ...report, notices: [...(recovered?.notices ?? []), ...report.notices] };
      if (attempt === 3)
        throw new TroupeError("git", "the current branch kept moving while its landing was prepared: try again");
      request.onProgress?.("the current branch has moved meanwhile: once more from its new tip");
    }
  });
}

/** Whether a killed landing has left branch and files apart. One that had moved nothing may wait for `settleLanding`. */
export async function isLandingInterrupted(repository: Repository): Promise<boolean> {
  const journal = await readJournal(repository);
  return journal?.state === "moving" && isAlive(journal.owner) === "dead";
}

/** Puts an interrupted landing in order; `rollBack` undoes it where it can. Gives what was asked for then. */
export async function recoverInterruptedLanding(place: RepositoryContext, options: { readonly rollBack: boolean }) {
  const repository = await openRepository(place);
  return withRepositoryLock(place, landLock(repository, {}), () => recoverLanding(repository, options));
}

const landLock = (repository: Repository, { onProgress }: Pick<LandRequest, "onProgress">) => ({
  folder: join(repository.stateFolder, "landing-turns"),
  what: `Landing in ${repository.top}`,
  waitMs: 60 * 60_000,
  onWait: (message: string) => onProgress?.(`${message.split(". ")[0] ?? ""}: waiting for it`),
});

/** Undefined when the target moved before it could be set. */
async function landOnce(repository: Repository, request: LandRequest): Promise<LandReport | undefined> {
  const { place, top } = repository;
  const { onStep = () => undefined, settings = {}, dryRun = false } = request;
  const target = await currentBranch(repository);
  const notClean = dryRun ? undefined : await uncleanReason(repository);
  if (notClean !== undefined) throw new TroupeError("git", notClean);
  const before = await repository.ask(["rev-parse", "--verify", "HEAD"]);
  const { branches, notices } = await chooseBranches(repository, { names: request.branches, target });
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
  // What has been begun is brought to an end also when the user wants to leave.
  const { signal: _, ...calmPlace } = place;
  const clearConfig = place.signal ? await openRepository(calmPlace) : repository;
  await onStep("begin");
  await writeJournal(repository, journal);
  try {
    const batch = await withLandingWorktree(repository, { before, settings: request.worktree ?? {}, onStep }, (tree) =>
      buildBatch(repository, { ...request, tree, before, branches, check: dryRun ? undefined : settings }),
    );
    const report = { target, before, check: settings.check, dryRun, notices, ...batch };
    if (batch.after === before || dryRun) return report;
    place.signal?.throwIfAborted();
    const move = { id: journal.id, target, top, before, after: batch.after };
    const moved = await moveTo(clearConfig, { journal, move, landed: batch.landed, onStep });
    return moved ? report : undefined;
  } finally {
    // After a failure too: the journal and the ref say what is left to do, here as after a kill.
    await recoverLanding(clearConfig, { rollBack: false });
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
  throw new TroupeError("git", `${repository.top} is on no branch (detached HEAD): switch to the one to land on`);
}
