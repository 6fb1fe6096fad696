import { AckPolicy, RetentionPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Clock } from "../../platform/index.ts";
import { requestWithRetry, type RetryLimits, type Bus, type BusAddress, connectBus } from "../../store/nats/index.ts";
import { listWorkers } from "./list-workers.ts";
import { findJob, submitJob } from "./submitted-job.ts";
import { claimJobs } from "./claim-jobs.ts";
import type { WorkBus } from "./work-bus.ts";
import { openWorkFiles } from "./work-files.ts";
import { jobStream, queueStream, queueSubject } from "./work-subjects.ts";

/** The dependencies that all parts of the work bus share. */
export interface WorkPorts {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly patience: RetryLimits;
  /** Makes sure that jobs with these labels have a queue. */
  ensureQueue(line: string): Promise<void>;
}

export async function openWorkBus(options: { readonly bus: BusAddress; readonly clock: Clock }): Promise<WorkBus> {
  const { clock } = options;
  const bus = await connectBus(options.bus);
  const patience: RetryLimits = { clock, waitMs: 30_000 };
  const replicas = bus.connection.info?.cluster === undefined ? 1 : 3;
  try {
    await makeStreams(bus, { replicas, patience });
  } catch (error) {
    await bus.close();
    throw error;
  }
  const ports: WorkPorts = {
    bus,
    clock,
    patience,
    async ensureQueue(line) {
      const consumer = {
        durable_name: line,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ackWaitMs),
        filter_subject: queueSubject(line),
      };
      await requestWithRetry(bus, () => bus.jsm.consumers.add(queueStream, consumer), patience);
    },
  };
  return {
    submit: (spec) => submitJob(spec, ports),
    find: (id) => findJob(id, ports),
    claimJobs: (work) => claimJobs(work, ports),
    workers: () => listWorkers(bus),
    files: openWorkFiles(bus, { replicas, patience }),
    close: () => bus.close(),
  };
}

async function makeStreams(
  bus: Bus,
  { replicas, patience }: { replicas: number; patience: RetryLimits },
): Promise<void> {
  const kept = { num_replicas: replicas, max_age: nanos(keptMs) };
  const jobs = { name: jobStream, subjects: ["troupe_job.>"], description: "Jobs of Troupe", ...kept };
  const queue = {
    name: queueStream,
    subjects: ["troupe_queue.>"],
    description: "Jobs of Troupe that wait for a worker",
    retention: RetentionPolicy.Workqueue,
    ...kept,
  };
  for (const config of [jobs, queue]) await requestWithRetry(bus, () => bus.jsm.streams.add(config), patience);
}

/**
 * An offer without acknowledgement or progress for this long goes to another worker. The offer alone does not assign
 * the job.
 */
const ackWaitMs = 2000;
const keptMs = 7 * 24 * 3_600_000;
