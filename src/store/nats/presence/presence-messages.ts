import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { type Clock, type CreateId, currentProcess, isAlive, ProcessIdentity } from "../../../platform/index.ts";
import { MemberState, TroupeError } from "../../../protocol/index.ts";
import { type RetryLimits, publish } from "../connection/bus-request.ts";
import type { Bus } from "../connection/bus.ts";
import { parseMessage } from "../journal/journal-message.ts";
import { createServerTime } from "../connection/server-time.ts";
import { type FeedOptions, openFeed } from "../journal/stream-feed.ts";
import type { TeamSubjects } from "../team-subjects.ts";

export interface PresenceMessagesOptions {
  readonly bus: Bus;
  readonly stream: string;
  readonly subjects: TeamSubjects;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly waitMs: number;
  /** How long a word counts without being renewed, and how often it is. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** Milliseconds that never go back, on this machine. */
  readonly uptime: () => number;
}

/** What members and processes say of themselves: on each subject only the last word is kept. */
export interface PresenceMessages {
  readonly here: ProcessIdentity;
  /** This opening of the team, as others see it. */
  readonly process: string;
  /** With everything that anybody has said before the call, or as it is known while the bus does not answer. */
  refresh(): Promise<"fresh" | "stale">;
  latestOn(subject: string): StoredPresence | undefined;
  /** In place of `before`, or not at all. Gives its sequence number. */
  publishAfter(subject: string, word: PresenceMessage, before: number): Promise<number | "conflict">;
  /** Whether whoever said this is there, and whether its lease is over. */
  livenessOf(stored: StoredPresence): { readonly process: "alive" | "dead" | "unknown"; readonly expired: boolean };
  /** Each word by anybody, as it comes. */
  onMessage(listener: (subject: string, stored: StoredPresence) => void): () => void;
  close(): Promise<void>;
}

export const PresenceMessage = z.object({
  owner: ProcessIdentity,
  /** The opening of the team that it was said in; its beats renew it. */
  process: z.string(),
  /** Said for the last time: nothing renews it. */
  isLast: z.boolean().optional(),
  name: z.string().optional(),
  state: MemberState.optional(),
  detail: z.string().optional(),
  since: z.string().optional(),
});
export type PresenceMessage = z.infer<typeof PresenceMessage>;

export interface StoredPresence {
  readonly sequence: number;
  /** By the clock of the server that stored it. */
  readonly at: number;
  readonly word: PresenceMessage;
}

export async function openPresenceMessages(options: PresenceMessagesOptions): Promise<PresenceMessages> {
  const { bus, stream, subjects, clock, createId, leaseMs, uptime } = options;
  const here = currentProcess();
  const process = createId<string>("run");
  const closed = new AbortController();
  const patience: RetryLimits = { clock, waitMs: options.waitMs, signal: closed.signal };
  const last = new Map<string, StoredPresence>();
  const listeners = new Set<(subject: string, stored: StoredPresence) => void>();
  const time = createServerTime(uptime);
  /** Longer than this without an answer, and the bus was away: nobody could be heard, so nobody can be missed. */
  const maxSilence = Math.max(leaseMs / 2, 2 * options.beatMs);
  let lastContact = uptime();
  let connectedSince = uptime() - Math.max(0, leaseMs - maxSilence);
  let failure: { readonly error: unknown } | undefined;

  const take = (message: JsMsg) => {
    const at = message.time.getTime();
    time.observe(at);
    const word = PresenceMessage.safeParse(parseMessage(message));
    if (!word.success) return;
    const stored = { sequence: message.seq, at, word: word.data };
    if (!remember(message.subject, stored)) return;
    for (const listener of listeners) listener(message.subject, stored);
  };

  /** False for one that is known, or older than what is. */
  const remember = (subject: string, stored: StoredPresence): boolean => {
    if ((last.get(subject)?.sequence ?? 0) >= stored.sequence) return false;
    last.set(subject, stored);
    return true;
  };

  /** After a loss numbers are given again: whatever comes is newer than what is known. */
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
    if (failure !== undefined) throw failure.error;
    if (!bus.isConnected()) return "stale";
    try {
      await feed.sync({ waitMs: Math.min(options.waitMs, leaseMs) });
      return "fresh";
    } catch (error) {
      if (TroupeError.is(error) && error.message.includes("has not answered")) return "stale";
      throw error;
    }
  };

  const livenessOf: PresenceMessages["livenessOf"] = ({ word, at }) => {
    const isOwn =
      word.owner.pid === here.pid && word.owner.startedAt === here.startedAt && word.owner.bootId === here.bootId;
    const beaten = word.isLast ? at : Math.max(at, last.get(subjects.beat(word.process))?.at ?? 0);
    const isHeard = bus.isConnected() && uptime() - lastContact <= maxSilence && uptime() - connectedSince > leaseMs;
    const expired = isHeard && time.now() - beaten > leaseMs;
    const seen = isOwn ? "alive" : isAlive(word.owner, here);
    // Nothing can be seen of a process on another machine but that it speaks.
    const isOnOtherMachine = seen === "unknown" && word.owner.bootId !== here.bootId;
    return { process: isOnOtherMachine && !expired && !word.isLast ? "alive" : seen, expired };
  };

  const onBeat = async (waitMs: number) => {
    if (!bus.isConnected()) return;
    const payload = JSON.stringify({ owner: here, process } satisfies PresenceMessage);
    const subject = subjects.beat(process);
    await publish(
      bus,
      { stream, subject, payload, id: createId<string>("beat"), replaces: true },
      { ...patience, waitMs },
    );
    if (uptime() - lastContact > maxSilence) connectedSince = uptime();
    lastContact = uptime();
  };
  const tryToBeat = () => {
    onBeat(0).catch((error: unknown) => {
      // A beat that is not heard is followed by the next one; a lease that runs out is seen by all who look.
      if (!TroupeError.is(error) && !closed.signal.aborted) failure = { error };
    });
  };

  const stops = [bus.onDisconnect(() => void (lastContact = Number.NEGATIVE_INFINITY)), bus.onReconnect(tryToBeat)];
  const feed = openFeed({
    ...options,
    filter: subjects.presenceMessages,
    onMessage: take,
    onCut,
    onFailure: () => undefined,
  });
  let beats = 0;
  const timer = setInterval(() => {
    tryToBeat();
    beats += 1;
    if (beats % beatsBetweenRefreshes(last.size) === 0) feed.readAgain();
  }, options.beatMs).unref();

  const close = async () => {
    clearInterval(timer);
    for (const stop of stops) stop();
    if (bus.isConnected())
      await bus.jsm.streams.purge(stream, { filter: subjects.beat(process) }).catch(() => undefined);
    closed.abort();
    await feed.close();
  };

  try {
    // The first beat also tells what time it is there: without it nothing is opened.
    await onBeat(options.waitMs);
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
 * A server of version 2.9 that reads several subjects passes over a message at times when one on another subject is
 * replaced in that moment. There is one on each subject, so all of them are read again; the more there are, the less often.
 */
const beatsBetweenRefreshes = (subjects: number): number => 1 + Math.ceil(subjects / 100);
