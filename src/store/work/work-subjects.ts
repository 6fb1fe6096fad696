/** Jobs are in streams of their own: a session needs no team to have agents elsewhere. */
export const jobStream = "troupe-jobs";
export const queueStream = "troupe-queue";
export const workBucket = "troupe-work";
/** Asked of all workers at once. */
export const workerQuerySubject = "troupe_pool.who";
/** That whoever wants the job is there. Not kept. */
export const leadBeatSubject = (job: string): string => `troupe_pool.lead.${job}`;
/** That whoever holds the job is there. Not kept either: who has it is for its journal to say. */
export const holderBeatSubject = (job: string): string => `troupe_pool.held.${job}`;

/** What an agent does at this moment, as it does it. Not kept. */
export const liveSubject = (job: string): string => `troupe_pool.shown.${job}`;

export interface JobSubjects {
  readonly all: string;
  readonly spec: string;
  /** Who has it: each message follows the last one, or is refused. */
  readonly journal: string;
  readonly reports: string;
  readonly orders: string;
}

export const jobSubjects = (job: string): JobSubjects => ({
  all: `troupe_job.${job}.>`,
  spec: `troupe_job.${job}.spec`,
  journal: `troupe_job.${job}.journal`,
  reports: `troupe_job.${job}.reports`,
  orders: `troupe_job.${job}.orders`,
});

/** Jobs that ask for the same labels wait in one line, whose name says which: a worker knows the lines it serves. */
export const queueNameOf = (labels: readonly string[]): string =>
  labels.length === 0 ? unlabelledQueue : [...new Set(labels)].sort().join("+");

export const labelsOfQueue = (queue: string): readonly string[] => (queue === unlabelledQueue ? [] : queue.split("+"));

export const queueSubject = (queue: string): string => `troupe_queue.${queue}`;

/** No label begins with it. */
const unlabelledQueue = "_";
