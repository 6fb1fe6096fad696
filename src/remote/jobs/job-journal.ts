import { randomUUID } from "node:crypto";
import { publish, requestWithRetry, type RetryLimits, type Bus } from "../../store/nats/index.ts";
import { JobSpec, JobState } from "./job.ts";
import { jobStream, jobSubjects } from "./work-subjects.ts";

/** The last record of a job's journal, with its sequence number. */
export interface JobRevision {
  readonly seq: number;
  readonly state: JobState;
}

/** Undefined if the job no longer exists. */
export async function readRevision(bus: Bus, job: string, patience: RetryLimits): Promise<JobRevision | undefined> {
  const last_by_subj = jobSubjects(job).journal;
  const last = await requestWithRetry(bus, () => bus.jsm.streams.getMessage(jobStream, { last_by_subj }), patience);
  return last === null ? undefined : { seq: last.seq, state: JobState.parse(last.json()) };
}

/** Undefined if the job no longer exists. */
export async function readSpec(bus: Bus, job: string, patience: RetryLimits): Promise<JobSpec | undefined> {
  const last_by_subj = jobSubjects(job).spec;
  const stored = await requestWithRetry(bus, () => bus.jsm.streams.getMessage(jobStream, { last_by_subj }), patience);
  return stored === null ? undefined : JobSpec.parse(stored.json());
}

/** "conflict": another process has written since `after`, so nothing is written. */
export async function writeRevision(
  bus: Bus,
  { job, state, after }: { readonly job: string; readonly state: JobState; readonly after: number },
  patience: RetryLimits,
): Promise<JobRevision | "conflict"> {
  const subject = jobSubjects(job).journal;
  const payload = JSON.stringify(state);
  const stored = await publish(bus, { stream: jobStream, subject, payload, id: randomUUID(), after }, patience);
  return stored === "conflict" ? stored : { seq: stored.seq, state };
}
