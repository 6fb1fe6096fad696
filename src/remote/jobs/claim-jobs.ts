import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { version } from "../../platform/index.ts";
import { requestWithRetry, parseMessage } from "../../store/nats/index.ts";
import { holdJob } from "./held-job.ts";
import { readSpec, readRevision, type JobRevision, writeRevision } from "./job-journal.ts";
import { listenForHeartbeat } from "./job-heartbeat.ts";
import type { JobSpec, WorkerInfo } from "./job.ts";
import type { WorkPorts } from "./nats-work-bus.ts";
import { createConcurrencyLimit, type ConcurrencyLimit } from "./concurrency-limit.ts";
import type { JobRunner } from "./work-bus.ts";
import { holderBeatSubject, labelsOfQueue, queueStream, workerQuerySubject } from "./work-subjects.ts";

/** Serves every queue whose labels this worker has until `signal` aborts, then waits for the running jobs. */
export async function claimJobs(runner: JobRunner, ports: WorkPorts): Promise<void> {
  const { bus, clock, ensureQueue: ensureLine } = ports;
  const { signal } = runner;
  let running = 0;
  const work: JobRunner = {
    ...runner,
    async run(job) {
      running += 1;
      try {
        await runner.run(job);
      } finally {
        running -= 1;
      }
    },
  };
  const serving = new Map<string, Promise<void>>();
  const limit = createConcurrencyLimit(work.maxAgents);
  await ensureLine("_");
  const workerQuery = bus.connection.subscribe(workerQuerySubject, {
    callback: (error, message) => {
      const { name, labels, maxAgents } = work;
      const info = { name, labels: [...labels], running, maxAgents, version } satisfies WorkerInfo;
      if (error === null) message.respond(JSON.stringify(info));
    },
  });
  try {
    while (!signal.aborted) {
      try {
        for (const queue of await listQueues(ports, signal)) {
          if (!labelsOfQueue(queue).every((label) => work.labels.includes(label)) || serving.has(queue)) continue;
          serving.set(queue, serveQueue(queue, work, { ...ports, limit }));
        }
      } catch (error) {
        if (!signal.aborted) work.onProblem(error);
      }
      await clock.sleep(lookMs, signal).catch(() => undefined);
    }
    await Promise.all(serving.values());
    await limit.drained();
  } finally {
    workerQuery.unsubscribe();
  }
}

async function listQueues({ bus, patience }: WorkPorts, signal: AbortSignal): Promise<string[]> {
  const all = async () => {
    const names: string[] = [];
    for await (const { name } of bus.jsm.consumers.list(queueStream)) names.push(name);
    return names;
  };
  return requestWithRetry(bus, all, { ...patience, signal });
}

type ServePorts = WorkPorts & { readonly limit: ConcurrencyLimit };

async function serveQueue(queue: string, work: JobRunner, ports: ServePorts): Promise<void> {
  const { bus, clock, limit } = ports;
  const { signal } = work;
  while (!signal.aborted) {
    const leave = await limit.acquire(signal);
    if (!leave) return;
    let offer: JsMsg | null = null;
    try {
      const consumer = await bus.js.consumers.get(queueStream, queue);
      offer = await consumer.next({ expires: 1000 });
    } catch (error) {
      // The bus is unreachable or the queue was removed. It is tried again while the worker runs.
      if (bus.isConnected() && !signal.aborted) work.onProblem(error);
      await clock.sleep(lookMs, signal).catch(() => undefined);
    }
    if (offer === null || signal.aborted) {
      offer?.nak();
      leave();
    } else void handleOffer(offer, work, ports).finally(leave);
  }
}

/** An offer is only a hint: the job's journal decides who has the job. */
async function handleOffer(offer: JsMsg, work: JobRunner, ports: ServePorts): Promise<void> {
  const { bus } = ports;
  const alive = setInterval(() => {
    if (bus.isConnected()) offer.working();
  }, workingMs);
  try {
    const wanted = Offer.safeParse(parseMessage(offer));
    if (!wanted.success) return offer.term("unknown format");
    const { job } = wanted.data;
    const claimed = await claimJob(job, work, ports);
    if (claimed === "over") return offer.ack();
    if (claimed === "held") return offer.nak(lookMs);
    const end = await holdJob(claimed, ports, work);
    if (end === "over") offer.ack();
    if (end === "released") offer.nak();
  } catch (error) {
    work.onProblem(error);
    if (bus.isConnected()) offer.nak(lookMs);
  } finally {
    clearInterval(alive);
  }
}

const Offer = z.object({ job: z.string() });

export interface ClaimedJob {
  readonly spec: JobSpec;
  readonly revision: JobRevision;
}

async function claimJob(job: string, work: JobRunner, ports: WorkPorts): Promise<ClaimedJob | "over" | "held"> {
  const { bus, patience } = ports;
  const { signal } = work;
  const found = await readRevision(bus, job, { ...patience, signal });
  const spec = await readSpec(bus, job, { ...patience, signal });
  if (found === undefined || spec === undefined) return "over";
  const { state } = found;
  if (state.status === "returned" || state.status === "withdrawn") return "over";
  if (state.status === "held" && (await isHolderAlive(job, found, { spec, ...ports, signal }))) return "held";
  const { folder: _, publicKey: __, ...before } = state;
  const mine = {
    ...before,
    status: "held" as const,
    generation: state.generation + 1,
    worker: work.name,
    takenAt: new Date(ports.clock.now()).toISOString(),
  };
  const revision = await writeRevision(bus, { job, state: mine, after: found.seq }, { ...patience, signal });
  return revision === "conflict" ? "held" : { spec, revision };
}

/**
 * Resolves to true if the holder sends a heartbeat within a lease. It listens for that long, because clocks of two
 * machines cannot be compared.
 */
async function isHolderAlive(
  job: string,
  { seq }: JobRevision,
  { spec, signal, ...ports }: WorkPorts & { readonly spec: JobSpec; readonly signal: AbortSignal },
): Promise<boolean> {
  const { bus, clock, patience } = ports;
  let isThere = false;
  const everyMs = spec.leaseMs / 10;
  const holder = listenForHeartbeat(ports, holderBeatSubject(job), {
    everyMs,
    heard() {
      isThere = true;
    },
  });
  try {
    while (holder.silentMs() < spec.leaseMs) {
      await clock.sleep(everyMs, signal);
      const now = await readRevision(bus, job, { ...patience, signal });
      if (isThere || now?.seq !== seq) return true;
    }
    return false;
  } finally {
    holder.end();
  }
}

const lookMs = 1000;
const workingMs = 600;
