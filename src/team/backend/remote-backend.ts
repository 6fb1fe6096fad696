import type { Clock } from "../../platform/index.ts";
import { type Member, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { JobNews, JobState, StoredTeam, SubmittedJob } from "../../store/index.ts";
import type { Backend, RunningMember } from "./backend.ts";
import { createBranchUpdater } from "./branch-updater.ts";
import { watchWorker } from "./watch-worker.ts";

export interface RemoteBackendOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** How long a member may be without a worker. */
  readonly workerWaitMs: number;
  openTeam(member: Member): Promise<StoredTeam>;
  /** Puts a new job for this member on the bus, and its id into the record. */
  submit(member: Member, team: StoredTeam): Promise<SubmittedJob>;
  /** One that is on the bus already. */
  find(job: string): Promise<SubmittedJob | undefined>;
  /** Brings commits to the repository; gives the branch that has them, and what they change. */
  importCommits(member: Member, commits: ImportedCommits): Promise<{ readonly branch: string; readonly diff: string }>;
  /** Writes down what it does, and shows it, until it is closed. */
  mirror(member: Member, ports: { readonly team: StoredTeam; spent(cost: MemberCost): void }): Promise<MemberMirror>;
  /** Gives it of the budget what it asks for, until `over` aborts. */
  budget(ports: { readonly closed: AbortSignal; abort(error: unknown): void }): MemberBudget;
  /** For the user. */
  notice(text: string): Promise<void>;
  /** For the user, and for the lead's model when it next hears something. */
  notify(text: string, level: "info" | "warning"): Promise<void>;
}

export interface ImportedCommits extends NonNullable<JobState["commits"]> {
  /** What was brought before. */
  readonly was?: string | undefined;
}

export interface MemberMirror {
  show: Parameters<SubmittedJob["onLive"]>[0];
  /** Resolves when all that is on the bus by now is written here. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

export interface MemberBudget {
  /** All that is heard of its job. */
  hear(news: JobNews, job: Pick<SubmittedJob, "order">): void;
  spent(cost: MemberCost): void;
  /** Nobody runs it any more: what it has not spent is for others. */
  end(): void;
}

export interface MemberCost {
  /** Of the life that has spent it. */
  readonly session: SessionId;
  readonly amount: { readonly usd: number; readonly tokens: number };
  /** It was not heard of in an earlier life of its lead. */
  readonly isNew: boolean;
}

/** Members that workers on other machines run. Each has a job on the bus, which outlives its lead's process and its worker's. */
export function createRemoteBackend(options: RemoteBackendOptions): Backend {
  return {
    type: "remote",
    async start(member) {
      const before = await earlier(member);
      if (before) await finish(member, before);
      const team = await options.openTeam(member);
      try {
        return await follow(member, { team, job: await options.submit(member, team) });
      } catch (error) {
        await team.close();
        throw error;
      }
    },
    async attach(member) {
      const job = await earlier(member);
      const state = await job?.state();
      if (!job || !state) return undefined;
      if (isOver(state)) {
        await finish(member, job);
        return undefined;
      }
      return follow(member, { team: await options.openTeam(member), job });
    },
    close: async () => undefined,
  };

  async function earlier({ worker }: Member): Promise<SubmittedJob | undefined> {
    return worker?.job === undefined ? undefined : options.find(worker.job);
  }

  /** Nobody works on it any more, and what was committed is here. */
  async function finish(member: Member, job: SubmittedJob): Promise<void> {
    await job.withdraw();
    const branchUpdater = createBranchUpdater(member, { job, ...options });
    await branchUpdater.settled();
    await job.forget();
  }

  async function follow(
    member: Member,
    { team, job }: { readonly team: StoredTeam; readonly job: SubmittedJob },
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
      const from = next.commits ? " what was committed and from" : "";
      await options.notify(
        `The worker ${before.worker ?? "that had it"}, which ran ${name}, is gone; ${next.worker} goes on from${from} its transcript. Its mail is there; what it had not committed is lost.`,
        "warning",
      );
      const now = options.clock.monotonic();
      adoptions.push(now);
      while ((adoptions[0] ?? now) < now - adoptionWindowMs) adoptions.shift();
      if (adoptions.length >= maxSoon)
        await abort(`${adoptions.length} workers have taken it one after another, and none has kept it`);
    };

    /** Of who holds it now alone: what stands in the journal from before is of those who have lost it. */
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
            : `The worker ${state.worker}, which runs ${name}, is silent: another one takes over if there is one.`,
        ),
      onLate: (ms) =>
        abort(
          `no worker has ${state?.worker === undefined ? "taken it" : "gone on with it"} for ${Math.round(ms / 1000)} s`,
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
          await options.notice(`What ${name} leaves on the bus could not be put in order: ${error.message}`);
        }
      }
    };

    const ended = run();
    ended.catch(() => undefined); // whoever waits for it hears of it
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
}

const isOver = ({ status }: JobState): boolean => status === "returned" || status === "withdrawn";
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What it leaves has to come over the bus. */
const maxRestMs = 30_000;
/** So many workers in so short a time: something is wrong with it, and not with them. */
const maxSoon = 5;
const adoptionWindowMs = 600_000;
