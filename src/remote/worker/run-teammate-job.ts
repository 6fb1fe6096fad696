import { rm } from "node:fs/promises";
import { effectiveMode } from "../../agent/definitions/index.ts";
import { remoteTeammateConduct } from "../../agent/index.ts";
import { messageOf, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";
import type { JobOutcome, JobSpec } from "../jobs/job.ts";
import type { StoredTeam, TeamStore } from "../../store/index.ts";
import { type RemoteHost, runTeammate } from "../../session/index.ts";
import { cloneJob } from "./clone-job.ts";
import { importTranscript, waitUntilFree, waitForKeyEndorsement } from "./prepare-teammate.ts";
import { createTeammateLedger } from "./teammate-ledger.ts";
import { createTeammateReporter } from "./teammate-reporter.ts";
import { createCommitPusher } from "./push-commits.ts";
import { flagsOf, type JobPorts } from "./run-job.ts";

export interface TeammateJobPorts extends JobPorts {
  readonly teams: TeamStore;
  /** Aborts when the worker accepts no more jobs. */
  readonly stopping: AbortSignal;
}

type TeammateJob = HeldJob & { readonly spec: { readonly member: NonNullable<JobSpec["member"]> } };

/**
 * Runs a teammate of a team on the bus in a clone, until it ends or another worker adopts it. Returns a short
 * description of the outcome.
 */
export async function runTeammateJob(job: TeammateJob, ports: TeammateJobPorts): Promise<string> {
  /** Aborts when the worker accepts no more jobs and this teammate is idle: then the job is released. */
  const releasing = new AbortController();
  const leaving = AbortSignal.any([ports.leaving, releasing.signal]);
  const stopSignal = AbortSignal.any([job.lost, job.orphaned, leaving]);
  try {
    const outcome = await activate(job, { ...ports, stopSignal, leave: () => releasing.abort() });
    if (job.lost.aborted) return "was lost to another worker";
    if (leaving.aborted) {
      await job.release();
      return "was released to other workers";
    }
    return (await job.complete(outcome)) ? outcome.reason : "was lost to another worker";
  } catch (error) {
    if (job.lost.aborted) return "was lost to another worker";
    if (leaving.aborted) {
      await job.release();
      return "was released to other workers";
    }
    const detail = job.orphaned.aborted ? orphanedText : messageOf(error);
    await job.complete({ reason: job.orphaned.aborted ? "interrupted" : "failed", detail, turns: 0 });
    if (!TroupeError.is(error) && !stopSignal.aborted) throw error;
    return `failed: ${detail}`;
  } finally {
    await rm(ports.folder, { recursive: true, force: true });
  }
}

const orphanedText = "its lead did not respond for a long time; it is suspended until the lead is back";

interface ActivationPorts extends TeammateJobPorts {
  readonly stopSignal: AbortSignal;
  leave(): void;
}

async function activate(job: TeammateJob, ports: ActivationPorts): Promise<JobOutcome> {
  const { member } = job.spec;
  const team = await ports.teams.open(member.team);
  try {
    return await activateInTeam(team, { job, ports });
  } finally {
    await team.close();
  }
}

async function activateInTeam(
  team: StoredTeam,
  { job, ports }: { job: TeammateJob; ports: ActivationPorts },
): Promise<JobOutcome> {
  const { spec } = job;
  const { stopSignal } = ports;
  const { name, branch, leadFolder } = spec.member;
  const { place } = ports;
  const folder = await cloneJob(job, ports, branch);
  const publicKey = await team.record.offerKey?.(name);
  if (publicKey === undefined) throw new TroupeError("team", `Team ${team.name} is not on a bus.`);
  await job.note({ folder, publicKey });
  await waitForKeyEndorsement(team, { name, publicKey, signal: stopSignal });
  await waitUntilFree(team, { name, clock: place.clock, signal: stopSignal });
  const sessionId = place.createId<SessionId>("ses");
  const isResumed = await importTranscript(team, { ...place, name, cwd: folder, sessionId });

  const pusher = createCommitPusher({ ...ports, job, clone: { folder, base: spec.source.head } });
  const reporter = createTeammateReporter({ team, name, job }, pusher.requestPush);
  const push = async () => {
    try {
      if (!job.lost.aborted) await pusher.finish(`Uncommitted changes of ${name}`);
    } catch (error) {
      // The repository may be in the middle of an operation. Later commits are uploaded later.
      if (!TroupeError.is(error)) throw error;
      ports.say(`cannot commit the changes of ${name}: ${error.message}`);
    }
  };
  const over = new AbortController();
  const onFailure = (error: unknown) => {
    if (!over.signal.aborted && !job.lost.aborted) ports.say(`${name} cannot request its budget: ${String(error)}`);
  };
  const budget = spec.isBudgeted
    ? createTeammateLedger(job, { session: sessionId, clock: place.clock, onFailure })
    : undefined;
  const remoteHost: RemoteHost = {
    folder,
    ledger: budget?.ledger,
    leadFolder,
    sessionId,
    flags: teammateFlags(spec, ports),
    conduct: remoteTeammateConduct({ branch, isResumed, base: spec.source.head }),
    capMode: (mode) => effectiveMode({ parent: ports.most, definition: mode }).mode,
    observe: reporter.observe,
    flushed: reporter.flushed,
    beforeReport: push,
  };
  budget?.follow(over.signal).catch(onFailure);
  const teammate = await runTeammate({
    team: team.name,
    name,
    cwd: folder,
    env: ports.env,
    flags: ports.flags,
    teams: ports.teams,
    isObservable: false,
    remoteHost,
  }).catch((error: unknown) => {
    over.abort();
    throw error;
  });
  const following = reporter.follow(teammate.session.events());
  following.catch(() => undefined); // waited for below
  // `ended` reports a failure to stop.
  const stop = () => void teammate.stop("rest").catch(() => undefined);
  stopSignal.addEventListener("abort", stop, { once: true });
  if (stopSignal.aborted) stop();
  // A teammate has no natural end, so it is released as soon as it is idle.
  const leave = () => void teammate.session.settled().then(ports.leave, ports.leave);
  ports.stopping.addEventListener("abort", leave, { once: true });
  if (ports.stopping.aborted) leave();
  const failure = await teammate.ended.finally(() => over.abort());
  stopSignal.removeEventListener("abort", stop);
  ports.stopping.removeEventListener("abort", leave);
  if (job.lost.aborted) return { reason: "interrupted", turns: 0 };
  await following;
  await push();
  if (job.orphaned.aborted) return { reason: "interrupted", detail: orphanedText, turns: 0 };
  return failure === undefined ? { reason: "completed", turns: 0 } : { reason: "failed", detail: failure, turns: 0 };
}

/** The lead's values for the teammate. This machine's user decides everything else. */
function teammateFlags(spec: TeammateJob["spec"], ports: TeammateJobPorts) {
  const { appendSystemPrompt, maxTurns, maxBudgetUsd, maxTokens } = spec.member;
  return { ...flagsOf(spec, ports), appendSystemPrompt, maxTurns, maxBudgetUsd, maxTokens };
}
