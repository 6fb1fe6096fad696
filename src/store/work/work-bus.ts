import type { Envelope } from "../../protocol/index.ts";
import type { JobOrder, JobOutcome, JobReport, JobSpec, JobState, WorkerInfo } from "./job.ts";

/** Work for agents on other machines: jobs, who holds them, and the files that go with them. */
export interface WorkBus {
  /** Puts a job where workers find it. */
  submit(spec: JobSpec): Promise<SubmittedJob>;
  /** One that an earlier life of who wants it has put there; undefined if nothing of it is on the bus. */
  find(id: string): Promise<SubmittedJob | undefined>;
  /** The workers that answer now. */
  workers(): Promise<readonly WorkerInfo[]>;
  /** Takes jobs until `signal` aborts. `room` resolves when one more can be run; its result is called when that is over. */
  claimJobs(work: JobRunner): Promise<void>;
  readonly files: WorkFiles;
  close(): Promise<void>;
}

export interface WorkFiles {
  has(object: string): Promise<boolean>;
  /** Both wait for a bus that is away for ten minutes; until `signal` aborts, where there is one. */
  put(object: string, path: string, signal?: AbortSignal): Promise<void>;
  get(object: string, path: string, signal?: AbortSignal): Promise<void>;
  remove(object: string): Promise<void>;
}

/** As who has submitted it sees it. */
export interface SubmittedJob {
  /** Everything of the job in the one order that the stream gives it. */
  news(signal: AbortSignal): AsyncIterable<JobNews>;
  /** While the bus is away it waits: until `signal` aborts, where there is one. */
  order(order: JobOrder, signal?: AbortSignal): Promise<void>;
  /** Called each time that its holder is heard, until what this gives is called. */
  onBeat(listener: () => void): () => void;
  /** What is shown of it from now on, until what this gives is called. */
  onLive(listener: (envelope: Envelope) => void): () => void;
  /** What was asked for; undefined if nothing of it is there. */
  spec(): Promise<JobSpec | undefined>;
  /** How it stands at this moment; undefined if nothing of it is there. */
  state(): Promise<JobState | undefined>;
  /** Whether the bus is there: while it is not, silence means nothing. */
  isConnected(): boolean;
  /** Nothing that a worker writes from now on counts. False: it was returned before. */
  withdraw(): Promise<boolean>;
  /** It stays as it is, and is not said to be wanted any more from here. */
  leave(): void;
  /** It is over and dealt with: nothing of it stays on the bus. */
  forget(): Promise<void>;
}

export type JobNews =
  | { readonly kind: "state"; readonly state: JobState }
  | { readonly kind: "report"; readonly report: JobReport }
  /** What was ordered before, in this life of whoever wants it or in an earlier one. */
  | { readonly kind: "order"; readonly order: JobOrder }
  /** Everything that is there has been handed on. */
  | { readonly kind: "caught up" };

export interface JobRunner {
  readonly name: string;
  readonly labels: readonly string[];
  readonly maxAgents: number;
  readonly signal: AbortSignal;
  /** Runs one. Whatever it rejects with is told to `onProblem`, and the job is for others. */
  run(job: HeldJob): Promise<void>;
  onProblem(error: unknown): void;
}

/** As who holds it sees it. */
export interface HeldJob {
  readonly spec: JobSpec;
  readonly state: JobState;
  /** Aborts when the job is somebody else's, or nobody's: nothing that is written after that counts. */
  readonly lost: AbortSignal;
  /** Aborts when whoever wants the job has not been heard for long, though the bus is there. */
  readonly orphaned: AbortSignal;
  orders(signal: AbortSignal): AsyncIterable<JobOrder>;
  /** In order; resolves when it is kept. */
  report(report: JobReport): Promise<void>;
  /** For eyes only: whoever looks on now sees it, and nobody else ever. */
  publishLive(envelopes: readonly Envelope[]): void;
  /** What is known from now on of where it is worked on and what was committed. */
  note(patch: Pick<JobState, "folder" | "commits" | "publicKey">): Promise<void>;
  /** Others may take it at once, and go on from what was noted last. */
  release(): Promise<void>;
  /** The end. False: it had been lost, and nothing of it counts. */
  complete(outcome: JobOutcome): Promise<boolean>;
  /** The size of the largest message. */
  readonly maxBytes: number;
}
