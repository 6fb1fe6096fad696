import { errors } from "@nats-io/transport-node";
import { type Bus, isTransient, isStreamMissing } from "../../store/nats/index.ts";
import { listWorkers } from "./list-workers.ts";
import { JobSpec, JobState, type WorkerInfo } from "./job.ts";
import { jobStream, jobSubjects } from "./work-subjects.ts";

/** A job on the bus, for people. */
export interface BusJob {
  readonly id: string;
  /** The agent's name in its session. */
  readonly agent: string;
  readonly labels: readonly string[];
  /** `finished`: its session has not fetched the result yet. */
  readonly status: "waiting" | "held" | "finished" | "withdrawn";
  /** The current or last holder. */
  readonly worker?: string;
  /** The number of times it was claimed. */
  readonly taken: number;
  /** The start of this status, by the clock of the holding worker, otherwise by the server's. */
  readonly since: string;
}

export interface WorkStatus {
  /** Undefined if this user may not ask. */
  readonly workers: readonly WorkerInfo[] | undefined;
  readonly jobs: readonly BusJob[] | undefined;
}

export async function workStatus(bus: Bus): Promise<WorkStatus> {
  return {
    workers: await undefinedIfForbidden(() => listWorkers(bus)),
    jobs: await undefinedIfForbidden(() => allJobs(bus)),
  };
}

async function allJobs({ jsm }: Bus): Promise<BusJob[]> {
  const found: BusJob[] = [];
  for (const id of await jobIds()) {
    const subjects = jobSubjects(id);
    const [last, asked] = await Promise.all(
      [subjects.journal, subjects.spec].map((last_by_subj) => jsm.streams.getMessage(jobStream, { last_by_subj })),
    );
    const state = JobState.safeParse(last?.json());
    const spec = JobSpec.safeParse(asked?.json());
    if (!last || !state.success || !spec.success) continue;
    const { status, worker, takenAt, generation } = state.data;
    found.push({
      id,
      agent: spec.data.path,
      labels: spec.data.labels,
      status: statusText[status],
      ...(worker !== undefined && { worker }),
      taken: generation,
      since: (status === "held" ? takenAt : undefined) ?? last.time.toISOString(),
    });
  }
  return found.sort((a, b) => (a.since < b.since ? -1 : 1));

  async function jobIds(): Promise<string[]> {
    try {
      const info = await jsm.streams.info(jobStream, { subjects_filter: jobSubjects("*").journal });
      return Object.keys(info.state.subjects ?? {}).flatMap((subject) => subject.split(".")[1] ?? []);
    } catch (error) {
      if (isStreamMissing(error)) return [];
      throw error;
    }
  }
}

const statusText = { asked: "waiting", held: "held", returned: "finished", withdrawn: "withdrawn" } as const;

/** A server does not answer a forbidden request. */
async function undefinedIfForbidden<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof errors.PermissionViolationError || isTransient(error)) return undefined;
    throw error;
  }
}
