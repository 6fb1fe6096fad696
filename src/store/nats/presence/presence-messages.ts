import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { type CreateId, currentProcess, isAlive, ProcessIdentity } from "../../../platform/index.ts";
import { MemberState, TroupeError } from "../../../protocol/index.ts";
import { type RetryLimits, publish } from "../connection/bus-request.ts";
import { parseMessage } from "../journal/journal-message.ts";
import { createBusHeartbeat } from "./bus-heartbeat.ts";
import { isFrom } from "./publish-own-member.ts";
import { createServerTime } from "../connection/server-time.ts";
import { type FeedOptions, openFeed } from "../journal/stream-feed.ts";
import type { TeamSubjects } from "../team-subjects.ts";
import type { PresenceTimes } from "../../team/presence/presence-times.ts";
import type { StreamContext } from "../connection/stream-context.ts";

export interface PresenceMessagesOptions extends StreamContext, Required<PresenceTimes> {
  readonly subjects: TeamSubjects;
  readonly createId: CreateId;
}

/** Presence messages of members and processes. Only the last message on each subject is kept. */
export interface PresenceMessages {
  readonly here: ProcessIdentity;
  /** Identifies this opening of the team to others. */
  readonly process: string;
  /**
   * Resolves to "fresh" after everything published before the call has arrived, or to "stale" while the bus does not
   * answer.
   */
  refresh(): Promise<"fresh" | "stale">;
  latestOn(subject: string): StoredPresence | undefined;
  /** Replaces `before`, or fails with "conflict". Resolves to its sequence number. */
  publishAfter(subject: string, word: PresenceMessage, before: number): Promise<number | "conflict">;
  /** Tells whether the sender's process is alive and whether its lease has ended. */
  livenessOf(stored: StoredPresence): { readonly process: "alive" | "dead" | "unknown"; readonly expired: boolean };
  /** Called for each message of any sender. */
  onMessage(listener: (subject: string, stored: StoredPresence) => void): () => void;
  close(): Promise<void>;
}

export const PresenceMessage = z.object({
  owner: ProcessIdentity,
  /** The opening of the team that published it. Its heartbeats renew it. */
  process: z.string(),
  /** The last message: nothing renews it. */
  isLast: z.boolean().optional(),
  name: z.string().optional(),
  state: MemberState.optional(),
  detail: z.string().optional(),
  since: z.string().optional(),
});
export type PresenceMessage = z.infer<typeof PresenceMessage>;

export interface StoredPresence {
  readonly sequence: number;
  /** The time of the server that stored it. */
  readonly at: number;
  readonly word: PresenceMessage;
}

export async function openPresenceMessages(options: PresenceMessagesOptions): Promise<PresenceMessages> {
  const { bus, stream, subjects, clock, createId, leaseMs } = options;
  const here = currentProcess();
  const process = createId<string>("run");
  const closed = new AbortController();
  const patience: RetryLimits = { clock, waitMs: options.waitMs, signal: closed.signal };
  const last = new Map<string, StoredPresence>();
  const listeners = new Set<(subject: string, stored: StoredPresence) => void>();
  const time = createServerTime(options.uptime);
  const heartbeat = createBusHeartbeat({ ...options, here, process, patience });

  const take = (message: JsMsg) => {
    const at = message.time.getTime();
    time.observe(at);
    const word = PresenceMessage.safeParse(parseMessage(message));
    if (!word.success) return;
    const stored = { sequence: message.seq, at, word: word.data };
    if (!remember(message.subject, stored)) return;
    for (const listener of listeners) listener(message.subject, stored);
  };

  /** Returns false for a message that is known or older than the known one. */
  const remember = (subject: string, stored: StoredPresence): boolean => {
    if ((last.get(subject)?.sequence ?? 0) >= stored.sequence) return false;
    last.set(subject, stored);
    return true;
  };

  /** After a loss numbers are reused, so every new message counts as newer. */
  const onCut: FeedOptions["onCut"] = ({ isLoss }) => {
    if (isLoss) for (const [subject, stored] of last) last.set(subject, { ...stored, sequence: 0 });
  };

  const publishAfter: PresenceMessages["publishAfter"] = async (subject, word, before) => {
    const payload = JSON.stringify(word);
    const id = createId<string>("sign");
    const ack = await publish(bus, { stream, subject, payload, id, after: before, replaces: true }, patience);
    if (ack === "conflict") return "conflict";
    remember(subject, { sequence: ack.seq, at: time.now(), word });
    await feed.reached(ack.seq);
    return ack.seq;
  };

  const refresh: PresenceMessages["refresh"] = async () => {
    heartbeat.assertBeating();
    if (!bus.isConnected()) return "stale";
    try {
      await feed.sync({ waitMs: Math.min(options.waitMs, leaseMs) });
      return "fresh";
    } catch (error) {
      if (TroupeError.is(error) && error.message.includes("has not answered")) return "stale";
      throw error;
    }
  };

  const livenessOf: PresenceMessages["livenessOf"] = (stored) => {
    const { word, at } = stored;
    const beaten = word.isLast ? at : Math.max(at, last.get(subjects.beat(word.process))?.at ?? 0);
    const expired = heartbeat.hearsOthers() && time.now() - beaten > leaseMs;
    const seen = isFrom(stored, { here }) ? "alive" : isAlive(word.owner, here);
    // The only sign of a process on another machine is its heartbeat.
    const isOnOtherMachine = seen === "unknown" && word.owner.bootId !== here.bootId;
    return { process: isOnOtherMachine && !expired && !word.isLast ? "alive" : seen, expired };
  };

  const feed = openFeed({
    ...options,
    filter: subjects.presenceMessages,
    onMessage: take,
    onCut,
    onFailure: () => undefined,
  });
  let beats = 0;
  const timer = setInterval(() => {
    heartbeat.tryToBeat();
    beats += 1;
    if (beats % beatsBetweenRefreshes(last.size) === 0) feed.readAgain();
  }, options.beatMs).unref();

  const close = async () => {
    clearInterval(timer);
    heartbeat.close();
    if (bus.isConnected())
      await bus.jsm.streams.purge(stream, { filter: subjects.beat(process) }).catch(() => undefined);
    closed.abort();
    await feed.close();
  };

  try {
    // The first heartbeat also tells the server's time, so the team cannot open without it.
    await heartbeat.beat(options.waitMs);
    await feed.sync();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    here,
    process,
    refresh,
    latestOn: (subject) => last.get(subject),
    publishAfter,
    livenessOf,
    onMessage: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
  };
}

/**
 * A 2.9 server that reads several subjects sometimes skips a message when one on another subject is replaced at that
 * moment. So all subjects are read again, less often the more there are.
 */
const beatsBetweenRefreshes = (subjects: number): number => 1 + Math.ceil(subjects / 100);
