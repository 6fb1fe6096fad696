import type { Envelope } from "../../protocol/index.ts";
import type { JobOrder, JobOutcome, JobReport, JobSpec, JobState, WorkerInfo } from "./job.ts";

/** Work for remote agents: jobs, their holders and their files. */
export interface WorkBus {
  /** Puts a job on the bus for workers. */
  submit(spec: JobSpec): Promise<SubmittedJob>;
  /** Finds a job that a previous run of the session submitted. Undefined if nothing of it is on the bus. */
  find(id: string): Promise<SubmittedJob | undefined>;
  /** Returns the workers that answer now. */
  workers(): Promise<readonly WorkerInfo[]>;
  /** Claims and runs jobs until the runner's `signal` aborts, then waits for the running ones. */
  claimJobs(work: JobRunner): Promise<void>;
  readonly files: WorkFiles;
  close(): Promise<void>;
}

export interface WorkFiles {
  has(object: string): Promise<boolean>;
  /** Both wait up to ten minutes for an unreachable bus, or with `signal` until it aborts. */
  put(object: string, path: string, signal?: AbortSignal): Promise<void>;
  get(object: string, path: string, signal?: AbortSignal): Promise<void>;
  remove(object: string): Promise<void>;
}

/** A job as its submitter sees it. */
export interface SubmittedJob {
  /** Yields everything about the job in the order of the stream. */
  news(signal: AbortSignal): AsyncIterable<JobNews>;
  /** Waits while the bus is unreachable, with `signal` until it aborts. */
  order(order: JobOrder, signal?: AbortSignal): Promise<void>;
  /** Called for each heartbeat of its holder. Returns a function that removes the listener. */
  onBeat(listener: () => void): () => void;
  /** Called for live events from now on. Returns a function that removes the listener. */
  onLive(listener: (envelope: Envelope) => void): () => void;
  /** Undefined if nothing of the job exists. */
  spec(): Promise<JobSpec | undefined>;
  /** The current state; undefined if nothing of the job exists. */
  state(): Promise<JobState | undefined>;
  /** True if the bus is reachable. Otherwise silence means nothing. */
  isConnected(): boolean;
  /** From now on nothing that a worker writes counts. Resolves to false if the job was already completed. */
  withdraw(): Promise<boolean>;
  /** Leaves the job as it is and stops the heartbeats. */
  leave(): void;
  /** Removes a finished and handled job from the bus. */
  forget(): Promise<void>;
}

export type JobNews =
  | { readonly kind: "state"; readonly state: JobState }
  | { readonly kind: "report"; readonly report: JobReport }
  /** An earlier order, from this or a previous run of the session. */
  | { readonly kind: "order"; readonly order: JobOrder }
  /** All messages that existed at the start have been delivered. */
  | { readonly kind: "caught up" };

export interface JobRunner {
  readonly name: string;
  readonly labels: readonly string[];
  readonly maxAgents: number;
  readonly signal: AbortSignal;
  /** Runs one job. An error goes to `onProblem`, and other workers can claim the job. */
  run(job: HeldJob): Promise<void>;
  onProblem(error: unknown): void;
}

/** A job as its holder sees it. */
export interface HeldJob {
  readonly spec: JobSpec;
  readonly state: JobState;
  /** Aborts when another worker has the job or it was withdrawn. Nothing written after that counts. */
  readonly lost: AbortSignal;
  /** Aborts when the submitter has been silent for too long although the bus is reachable. */
  readonly orphaned: AbortSignal;
  orders(signal: AbortSignal): AsyncIterable<JobOrder>;
  /** Sends reports in order. Resolves when the report is stored. */
  report(report: JobReport): Promise<void>;
  /** For current viewers only; never stored. */
  publishLive(envelopes: readonly Envelope[]): void;
  /** Records the working folder, the commits so far or the key. */
  note(patch: Pick<JobState, "folder" | "commits" | "publicKey">): Promise<void>;
  /** Other workers can claim it at once and continue from the last note. */
  release(): Promise<void>;
  /** Ends the job. Resolves to false if the job was lost before; then nothing counts. */
  complete(outcome: JobOutcome): Promise<boolean>;
  /** The size of the largest message. */
  readonly maxBytes: number;
}
