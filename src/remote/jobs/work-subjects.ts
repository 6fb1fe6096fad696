/** Jobs have separate streams: a session needs no team for remote agents. */
export const jobStream = "troupe-jobs";
export const queueStream = "troupe-queue";
export const workBucket = "troupe-work";
/** A question to all workers at once. */
export const workerQuerySubject = "troupe_pool.who";
/** Heartbeats of the job's submitter. Not stored. */
export const leadBeatSubject = (job: string): string => `troupe_pool.lead.${job}`;
/** Heartbeats of the job's holder. Not stored: the journal says which worker has the job. */
export const holderBeatSubject = (job: string): string => `troupe_pool.held.${job}`;

/** Live events of the agent. Not stored. */
export const liveSubject = (job: string): string => `troupe_pool.shown.${job}`;

export interface JobSubjects {
  readonly all: string;
  readonly spec: string;
  /** The claims of the job. Each message must follow the last one, or is refused. */
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

/** Jobs with the same labels share a queue. Its name contains the labels, so a worker knows which queues to serve. */
export const queueNameOf = (labels: readonly string[]): string =>
  labels.length === 0 ? unlabelledQueue : [...new Set(labels)].sort().join("+");

export const labelsOfQueue = (queue: string): readonly string[] => (queue === unlabelledQueue ? [] : queue.split("+"));

export const queueSubject = (queue: string): string => `troupe_queue.${queue}`;

/** Labels never begin with it. */
const unlabelledQueue = "_";
