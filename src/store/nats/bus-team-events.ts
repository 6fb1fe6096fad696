import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { StoredEnvelope } from "../../protocol/index.ts";
import type { AgentNews, TeamEvents } from "../team/team-events.ts";
import { requestWithRetry } from "./connection/bus-request.ts";
import { followBatches } from "./follow-batches.ts";
import { parseMessage } from "./journal/journal-message.ts";
import type { Outbox } from "./outbox/outbox.ts";
import { openFeed } from "./journal/stream-feed.ts";
import type { TeamSubjects } from "./team-subjects.ts";
import type { StreamContext } from "./connection/stream-context.ts";

export interface BusEventsOptions extends StreamContext {
  readonly subjects: TeamSubjects;
  readonly outbox: Outbox;
  readonly closed: AbortSignal;
}

/** An outbox lane that belongs to no member: names have no colon. */
const lane = (agent: string): string => `events:${agent}`;

/** Returns the subject for a lane of the outbox. */
export const subjectOfLane = (to: string, subjects: TeamSubjects): string =>
  to.startsWith("events:") ? subjects.events(to.slice("events:".length)) : subjects.inbox(to);

export function openBusEvents(options: BusEventsOptions): TeamEvents {
  const { bus, stream, subjects, outbox, clock, waitMs } = options;
  return {
    append: async (agent, envelopes) => {
      await Promise.all(envelopes.map((envelope) => outbox.leave(lane(agent), envelope)));
    },
    read: (agent) => readAll(options, agent),
    follow: (agent, signal) => follow(options, agent, AbortSignal.any([signal, options.closed])),
    forget: async (agent) => {
      const filter = subjects.events(agent);
      await requestWithRetry(bus, () => bus.jsm.streams.purge(stream, { filter }), { clock, waitMs, stream });
    },
  };
}

const Batch = z.object({ records: z.array(z.unknown()) });

async function* follow(options: BusEventsOptions, agent: string, signal: AbortSignal): AsyncGenerator<AgentNews> {
  if (signal.aborted) return;
  const inOrder = createOrder();
  let waiting: AgentNews[] = [];
  let failure: { readonly error: unknown } | undefined;
  let look: () => void = () => undefined;
  const feed = openFeed({
    ...options,
    filter: options.subjects.events(agent),
    onMessage: (message) => {
      waiting.push(...envelopesIn(message).flatMap(inOrder));
      look();
    },
    onCut: () => undefined,
    onFailure: (error) => {
      failure = { error };
      look();
    },
  });
  const take = () => {
    const news = waiting;
    waiting = [];
    return news;
  };
  try {
    const source = { take, failure: () => failure, onChange: (changed: () => void) => void (look = changed) };
    for await (const news of followBatches(source, signal)) yield* news;
  } finally {
    await feed.close();
  }
}

async function readAll(options: BusEventsOptions, agent: string): Promise<readonly StoredEnvelope[]> {
  const inOrder = createOrder();
  const found: StoredEnvelope[] = [];
  const feed = openFeed({
    ...options,
    filter: options.subjects.events(agent),
    onMessage: (message) => {
      for (const news of envelopesIn(message).flatMap(inOrder)) if ("envelope" in news) found.push(news.envelope);
    },
    onCut: () => undefined,
    onFailure: () => undefined, // `sync` rejects with it
  });
  try {
    await feed.sync();
    return found;
  } finally {
    await feed.close();
  }
}

function envelopesIn(message: JsMsg): StoredEnvelope[] {
  const batch = Batch.safeParse(parseMessage(message));
  const records = batch.success ? batch.data.records : [];
  // A record in an unknown format leaves a gap in the numbers, and the gap is reported.
  return records.flatMap((record) => {
    const envelope = StoredEnvelope.safeParse(record);
    return envelope.success ? [envelope.data] : [];
  });
}

/** Each agent of a session numbers its events from 1. Repeated events are skipped; gaps are reported. */
function createOrder(): (envelope: StoredEnvelope) => AgentNews[] {
  const last = new Map<string, number>();
  return (envelope) => {
    const { seq, session, agent } = envelope;
    const key = `${session} ${agent}`;
    const before = last.get(key);
    if (before !== undefined && seq <= before) return [];
    last.set(key, seq);
    const missing = before === undefined ? 0 : seq - before - 1;
    return missing > 0 ? [{ missing, session }, { envelope }] : [{ envelope }];
  };
}
