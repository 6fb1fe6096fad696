import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { version } from "../../platform/index.ts";
import { ask } from "../nats/ask-bus.ts";
import { parseMessage } from "../nats/journal-message.ts";
import { holdJob } from "./held-job.ts";
import { readSpec, readStanding, type Standing, writeStanding } from "./job-journal.ts";
import { listenFor } from "./job-beat.ts";
import type { JobSpec, WorkerSign } from "./job.ts";
import type { WorkPorts } from "./nats-work-bus.ts";
import { createRoom, type Room } from "./room.ts";
import type { TakeWork } from "./work-bus.ts";
import { holderBeat, labelsOfLine, queueStream, rollCall } from "./work-subjects.ts";

/** Serves every line whose labels this worker has, until it is told to stop; then waits for what runs. */
export async function takeJobs(wishes: TakeWork, ports: WorkPorts): Promise<void> {
  const { bus, clock, ensureLine } = ports;
  const { signal } = wishes;
  let running = 0;
  const work: TakeWork = {
    ...wishes,
    async run(job) {
      running += 1;
      try {
        await wishes.run(job);
      } finally {
        running -= 1;
      }
    },
  };
  const serving = new Map<string, Promise<void>>();
  const room = createRoom(work.maxAgents);
  await ensureLine("_");
  const roll = bus.connection.subscribe(rollCall, {
    callback: (error, message) => {
      const { name, labels, maxAgents } = work;
      const sign = { name, labels: [...labels], running, maxAgents, version } satisfies WorkerSign;
      if (error === null) message.respond(JSON.stringify(sign));
    },
  });
  try {
    while (!signal.aborted) {
      try {
        for (const line of await lines(ports, signal)) {
          if (!labelsOfLine(line).every((label) => work.labels.includes(label)) || serving.has(line)) continue;
          serving.set(line, serve(line, work, { ...ports, room }));
        }
      } catch (error) {
        if (!signal.aborted) work.onProblem(error);
      }
      await clock.sleep(lookMs, signal).catch(() => undefined);
    }
    await Promise.all(serving.values());
    await room.empty();
  } finally {
    roll.unsubscribe();
  }
}

async function lines({ bus, patience }: WorkPorts, signal: AbortSignal): Promise<string[]> {
  const all = async () => {
    const names: string[] = [];
    for await (const { name } of bus.jsm.consumers.list(queueStream)) names.push(name);
    return names;
  };
  return ask(bus, all, { ...patience, signal });
}

type ServePorts = WorkPorts & { readonly room: Room };

async function serve(line: string, work: TakeWork, ports: ServePorts): Promise<void> {
  const { bus, clock, room } = ports;
  const { signal } = work;
  while (!signal.aborted) {
    const leave = await room.enter(signal);
    if (!leave) return;
    let offer: JsMsg | null = null;
    try {
      const consumer = await bus.js.consumers.get(queueStream, line);
      offer = await consumer.next({ expires: 1000 });
    } catch (error) {
      // The bus is away, or the line was removed: it is tried again for as long as the worker is there.
      if (bus.isConnected() && !signal.aborted) work.onProblem(error);
      await clock.sleep(lookMs, signal).catch(() => undefined);
    }
    if (offer === null || signal.aborted) {
      offer?.nak();
      leave();
    } else void answer(offer, work, ports).finally(leave);
  }
}

/** What is offered is only a hint: who has the job is for its journal to say. */
async function answer(offer: JsMsg, work: TakeWork, ports: ServePorts): Promise<void> {
  const { bus } = ports;
  const alive = setInterval(() => {
    if (bus.isConnected()) offer.working();
  }, workingMs);
  try {
    const wanted = Offer.safeParse(parseMessage(offer));
    if (!wanted.success) return offer.term("of no known form");
    const { job } = wanted.data;
    const taken = await take(job, work, ports);
    if (taken === "over") return offer.ack();
    if (taken === "held") return offer.nak(lookMs);
    const end = await holdJob(taken, ports, work);
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

export interface TakenJob {
  readonly spec: JobSpec;
  readonly standing: Standing;
}

async function take(job: string, work: TakeWork, ports: WorkPorts): Promise<TakenJob | "over" | "held"> {
  const { bus, patience } = ports;
  const { signal } = work;
  const found = await readStanding(bus, job, { ...patience, signal });
  const spec = await readSpec(bus, job, { ...patience, signal });
  if (found === undefined || spec === undefined) return "over";
  const { state } = found;
  if (state.status === "returned" || state.status === "withdrawn") return "over";
  if (state.status === "held" && (await isHeard(job, found, { spec, ...ports, signal }))) return "held";
  const { folder: _, publicKey: __, ...before } = state;
  const mine = {
    ...before,
    status: "held" as const,
    generation: state.generation + 1,
    worker: work.name,
    takenAt: new Date(ports.clock.now()).toISOString(),
  };
  const standing = await writeStanding(bus, { job, state: mine, after: found.seq }, { ...patience, signal });
  return standing === "conflict" ? "held" : { spec, standing };
}

/** Whether its holder is heard within a lease. Clocks of two machines are not compared: it is listened for as long as that takes. */
async function isHeard(
  job: string,
  { seq }: Standing,
  { spec, signal, ...ports }: WorkPorts & { readonly spec: JobSpec; readonly signal: AbortSignal },
): Promise<boolean> {
  const { bus, clock, patience } = ports;
  let isThere = false;
  const everyMs = spec.leaseMs / 10;
  const holder = listenFor(ports, holderBeat(job), {
    everyMs,
    heard() {
      isThere = true;
    },
  });
  try {
    while (holder.ms() < spec.leaseMs) {
      await clock.sleep(everyMs, signal);
      const now = await readStanding(bus, job, { ...patience, signal });
      if (isThere || now?.seq !== seq) return true;
    }
    return false;
  } finally {
    holder.end();
  }
}

const lookMs = 1000;
const workingMs = 600;
