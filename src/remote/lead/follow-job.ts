import { type Member, messageOf, TroupeError } from "../../protocol/index.ts";
import type { JobState } from "../jobs/job.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { SubmittedJob } from "../jobs/work-bus.ts";
import type { RunningMember } from "../../team/index.ts";
import { createBranchUpdater } from "./branch-updater.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";
import { watchWorker } from "./watch-worker.ts";

/** Follows the job of a member until it is over, and then cleans up. */
export async function followJob(
  member: Member,
  { team, job }: { readonly team: StoredTeam; readonly job: SubmittedJob },
  options: RemoteBackendOptions,
): Promise<RunningMember> {
  const { name } = member;
  const closeController = new AbortController();
  const fail = (error: unknown) => {
    if (closeController.signal.aborted) return;
    failure ??= messageOf(error);
    closeController.abort();
  };
  const budget = options.budget({ closed: closeController.signal, abort: fail });
  const mirror = await options.mirror(member, { team, spent: budget.spent });
  const branch = createBranchUpdater(member, { job, ...options });
  const adoptions: number[] = [];
  let state: JobState | undefined;
  let failure: string | undefined;

  const abort = (reason: string) => {
    failure ??= reason;
    return job.withdraw();
  };

  const applyState = async (next: JobState): Promise<boolean> => {
    const before = state;
    state = next;
    if (next.status === "returned" && next.outcome?.reason !== "completed") failure ??= next.outcome?.detail;
    if (isOver(next)) return true;
    if (before && next.generation > Math.max(before.generation, 1)) await onAdopted(before, next);
    if (next.publicKey !== undefined && next.publicKey !== before?.publicKey) await endorseKey(next.publicKey);
    if (next.commits) branch.queueCommits(next.commits);
    return false;
  };

  const onAdopted = async (before: JobState, next: JobState) => {
    const from = next.commits ? " its commits and" : "";
    await options.notify(
      `${name} lost its worker ${before.worker ?? "(unknown)"}. ${next.worker} adopts it and continues from${from} its transcript. Its mail is kept; uncommitted changes are lost.`,
      "warning",
    );
    const now = options.clock.monotonic();
    adoptions.push(now);
    while ((adoptions[0] ?? now) < now - adoptionWindowMs) adoptions.shift();
    if (adoptions.length >= maxSoon)
      await abort(`${adoptions.length} workers adopted it in a short time and none kept it`);
  };

  /** Endorses only the key of the current worker. The journal also holds keys of workers that lost the job. */
  const endorseKey = async (publicKey: string) => {
    const now = await job.state();
    if (now?.status === "held" && now.publicKey === publicKey) await team.record.vouchFor?.(name, publicKey);
  };

  const workerWatch = watchWorker({
    ...options,
    job,
    isHeld: () => state?.status === "held",
    onSilent: () =>
      options.notice(
        state?.worker === undefined
          ? `${name} waits for a worker.`
          : `The worker ${state.worker} of ${name} is silent. Another worker adopts the job if one is available.`,
      ),
    onLate: (ms) =>
      abort(
        `no worker has ${state?.worker === undefined ? "claimed it" : "continued it"} for ${Math.round(ms / 1000)} s`,
      ),
    onFailure: fail,
  });

  const run = async (): Promise<string | undefined> => {
    const stopMirroring = job.onLive(mirror.show);
    try {
      for await (const news of job.news(closeController.signal)) {
        budget.hear(news, job);
        if (news.kind !== "state") continue;
        workerWatch.onHeartbeat();
        if (await applyState(news.state)) break;
      }
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      failure ??= error.message;
    } finally {
      workerWatch.end();
      stopMirroring();
      closeController.abort();
      await cleanUp();
      budget.end();
    }
    return failure;
  };

  const cleanUp = async () => {
    const steps = [branch.settled, mirror.caughtUp, mirror.close, job.forget, team.close];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        await options.notice(`Cannot clean up what ${name} leaves on the bus: ${error.message}`);
      }
    }
  };

  const ended = run();
  ended.catch(() => undefined); // callers of `ended` get the failure
  return {
    ended,
    get suspendMs() {
      return state?.status === "held" && !workerWatch.isSilent() ? maxRestMs : 0;
    },
    settled: branch.settled,
    folder: () => state?.folder,
    async kill() {
      await job.withdraw();
      await ended;
    },
  };
}

export const isOver = ({ status }: JobState): boolean => status === "returned" || status === "withdrawn";

/** Longer than the default, because commits and events must cross the bus. */
const maxRestMs = 30_000;
/** After this number of adoptions within `adoptionWindowMs` the job itself is taken for the cause, not the workers. */
const maxSoon = 5;
const adoptionWindowMs = 600_000;
