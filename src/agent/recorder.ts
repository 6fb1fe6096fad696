import { setMaxListeners } from "node:events";
import { type Clock, type CreateId, hasErrorCode, sleepUnlessAborted } from "../platform/index.ts";
import {
  type AgentId,
  type Envelope,
  type EventId,
  type LiveEvent,
  protocolVersion,
  type SessionId,
  type StoredEvent,
  TroupeError,
} from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";
import type { EventSink } from "./event-sink.ts";
import { redactEvent } from "./redact-event.ts";

/** Records all events of an agent one after another: each is stored first, then folded, then published. */
export interface Recorder {
  /**
   * While the disk is full, it retries until there is space or `signal` aborts: the agent pauses instead of leaving a
   * gap in its log. It rejects with the storage failure when it stops retrying, and at once for any other failure.
   */
  record(event: StoredEvent, signal?: AbortSignal): Promise<void>;
  live(event: LiveEvent): void;
  /** From now on no event waits for disk space for long, so that a session can close on a full disk. */
  leave(): void;
}

/** The recorder of an agent whose events come from another process. */
export interface ReceivingRecorder extends Recorder {
  /** Records an event under a given id, so that a repeat is recognised. */
  recordAs(id: EventId, event: StoredEvent): Promise<void>;
}

export interface RecorderOptions {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly sink: EventSink;
  readonly conversation: Conversation;
  readonly emit: (envelope: Envelope) => void;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** The sequence number of the last stored event. */
  readonly seq: number;
}

const retryMs = 1_000;
/** How long the last events of an agent may wait for disk space. */
const leaveMs = 2_000;

export function createRecorder(options: RecorderOptions): ReceivingRecorder {
  const { sink, conversation, emit, clock, createId, session, agent } = options;
  /** The time from which on no event waits for disk space. */
  let leavesAt = Infinity;
  let seq = options.seq;
  /** Why the current event waits for disk space. */
  let full: { readonly error: unknown } | undefined;
  /** The events queued behind it. Each one checks whether it must still wait. */
  const behind = new Set<() => void>();

  const live = (event: LiveEvent) => {
    const at = new Date(clock.now()).toISOString();
    emit({ v: protocolVersion, id: createId<EventId>("evt"), session, agent, seq, at, event });
  };

  const store = async (event: StoredEvent, { signal, id }: StoreOptions) => {
    let isReported = false;
    for (;;) {
      try {
        const envelope = await sink.record(event, id);
        seq = envelope.seq;
        conversation.apply(event);
        emit(envelope);
        return;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        full = { error };
        for (const look of behind) look();
        if (!isReported) {
          const reason = "the disk is full: free some space and the agent continues by itself; nothing is lost";
          live({ type: "turn.waiting", turn: conversation.turn, reason });
        }
        isReported = true;
        const waitMs = Math.min(retryMs, leavesAt - clock.monotonic());
        if (waitMs <= 0) throw error;
        await clock.sleep(waitMs, signal).catch(() => {
          throw error; // the wait was aborted: reject with the reason for it
        });
      } finally {
        full = undefined;
      }
    }
  };

  /**
   * Resolves when it is this event's turn. Rejects if its time is over while an event in front waits for disk space.
   */
  const turnAfter = (before: Promise<unknown>, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (full && signal?.aborted) reject(full.error);
      };
      behind.add(look);
      signal?.addEventListener("abort", look, { once: true });
      look();
      void before.then(() => {
        behind.delete(look);
        signal?.removeEventListener("abort", look);
        resolve();
      });
    });

  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (event: StoredEvent, options: StoreOptions) => {
    const stored = turnAfter(last, options.signal).then(() => store(redactEvent(event), options));
    // The caller gets the failure. The next event still gets its turn, but not before all events in front of it.
    last = Promise.allSettled([last, stored]).then(() => undefined);
    return stored;
  };
  return {
    live,
    leave: () => void (leavesAt = Math.min(leavesAt, clock.monotonic() + leaveMs)),
    record: (event, signal) => inTurn(event, { signal }),
    recordAs: (id, event) => inTurn(event, { id }),
  };
}

interface StoreOptions {
  readonly signal?: AbortSignal | undefined;
  readonly id?: EventId | undefined;
}

/** Aborts a short time after `signal`, to leave time for the last events. The timer ends when `over` aborts. */
export function abortShortlyAfter(
  signal: AbortSignal,
  { clock, over }: { readonly clock: Pick<Clock, "sleep">; readonly over: AbortSignal },
): AbortSignal {
  const late = new AbortController();
  setMaxListeners(0, late.signal);
  const abort = () =>
    void sleepUnlessAborted(clock, leaveMs, over).then((isLate) => {
      if (isLate) late.abort(signal.reason);
    });
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return late.signal;
}

export function isDiskFull(error: unknown): boolean {
  if (!TroupeError.is(error) || error.code !== "storage") return false;
  return hasErrorCode(error.cause, "ENOSPC", "EDQUOT");
}
