import type { Clock } from "../../platform/index.ts";
import type { Member, SessionId } from "../../protocol/index.ts";
import type { JobNews, SubmittedJob } from "../jobs/work-bus.ts";
import type { JobState } from "../jobs/job.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Backend } from "../../team/index.ts";
import { createBranchUpdater } from "./branch-updater.ts";
import { followJob, isOver } from "./follow-job.ts";

export interface RemoteBackendOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** How long a member may be without a worker before it is aborted. */
  readonly workerWaitMs: number;
  openTeam(member: Member): Promise<StoredTeam>;
  /** Submits a new job for this member and stores the job's id in the record. */
  submit(member: Member, team: StoredTeam): Promise<SubmittedJob>;
  /** Finds a job that is on the bus. */
  find(job: string): Promise<SubmittedJob | undefined>;
  /** Imports commits into the repository. Returns their branch and what they change. */
  importCommits(member: Member, commits: ImportedCommits): Promise<{ readonly branch: string; readonly diff: string }>;
  /** Writes and shows the member's events here until it is closed. */
  mirror(member: Member, ports: { readonly team: StoredTeam; spent(cost: MemberCost): void }): Promise<MemberMirror>;
  /** Grants the member budget on request until the signal aborts. */
  budget(ports: { readonly closed: AbortSignal; abort(error: unknown): void }): MemberBudget;
  /** Shows a notice to the user. */
  notice(text: string): Promise<void>;
  /** Shows a notice to the user and adds it to the lead's next prompt. */
  notify(text: string, level: "info" | "warning"): Promise<void>;
}

export interface ImportedCommits extends NonNullable<JobState["commits"]> {
  /** The head of the last import. */
  readonly was?: string | undefined;
}

export interface MemberMirror {
  show: Parameters<SubmittedJob["onLive"]>[0];
  /** Resolves when all events on the bus are written here. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

export interface MemberBudget {
  /** Receives all news of the member's job. */
  hear(news: JobNews, job: Pick<SubmittedJob, "order">): void;
  spent(cost: MemberCost): void;
  /** The member has ended: releases the budget that it did not spend. */
  end(): void;
}

export interface MemberCost {
  /** The run that spent it. */
  readonly session: SessionId;
  readonly amount: { readonly usd: number; readonly tokens: number };
  /** False if a previous run of the lead counted it. */
  readonly isNew: boolean;
}

/** Members that run on workers. Each has a job on the bus that outlives the lead's process and the worker's. */
export function createRemoteBackend(options: RemoteBackendOptions): Backend {
  return {
    type: "remote",
    async start(member) {
      const before = await earlier(member);
      if (before) await finish(member, before);
      const team = await options.openTeam(member);
      try {
        return await followJob(member, { team, job: await options.submit(member, team) }, options);
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
      return followJob(member, { team: await options.openTeam(member), job }, options);
    },
    close: async () => undefined,
  };

  async function earlier({ worker }: Member): Promise<SubmittedJob | undefined> {
    return worker?.job === undefined ? undefined : options.find(worker.job);
  }

  /** Withdraws the job and imports its commits. */
  async function finish(member: Member, job: SubmittedJob): Promise<void> {
    await job.withdraw();
    const branchUpdater = createBranchUpdater(member, { job, ...options });
    await branchUpdater.settled();
    await job.forget();
  }
}
