import { setMaxListeners } from "node:events";
import { type Clock, type CreateId, hasErrorCode } from "../platform/index.ts";
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

/** Everything an agent says about itself goes through here, one after another: stored first, then folded, then shown. */
export interface Recorder {
  /**
   * While the disk is full it waits and tries again until there is space or `signal` aborts: an agent pauses, it does
   * not go on with a hole in its log. When it gives up, and at any other storage failure, it rejects with that failure.
   */
  record(event: StoredEvent, signal?: AbortSignal): Promise<void>;
  live(event: LiveEvent): void;
  /** From now on nothing waits for space for long: whoever closes a session on a full disk must be able to. */
  leave(): void;
}

/** Of an agent whose events come from elsewhere. */
export interface ReceivingRecorder extends Recorder {
  /** Under an id by which it is known again, should it come a second time. */
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
  /** The number of the last stored event. */
  readonly seq: number;
}

const retryMs = 1_000;
/** How long the last words of an agent may take when there is no space for them. */
const leaveMs = 2_000;

export function createRecorder(options: RecorderOptions): ReceivingRecorder {
  const { sink, conversation, emit, clock, createId, session, agent } = options;
  const leaving = new AbortController();
  const left = abortShortlyAfter(leaving.signal);
  let seq = options.seq;
  /** Why the one whose turn it is waits for space. */
  let full: { readonly error: unknown } | undefined;
  /** Those behind it. Each looks whether it has still to wait. */
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
          const reason = "the disk is full: free some space and it goes on by itself; nothing is lost";
          live({ type: "turn.waiting", turn: conversation.turn, reason });
        }
        isReported = true;
        await clock.sleep(retryMs, signal ? AbortSignal.any([signal, left]) : left).catch(() => {
          throw error; // it was told to give up: what it has waited for is why
        });
      } finally {
        full = undefined;
      }
    }
  };

  /** Resolves when it is its turn; rejects when there is no more time to wait behind one that waits for space. */
  const turnAfter = (before: Promise<unknown>, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (full && (signal?.aborted || left.aborted)) reject(full.error);
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
  left.addEventListener("abort", () => behind.forEach((look) => look()), { once: true });

  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (event: StoredEvent, options: StoreOptions) => {
    const stored = turnAfter(last, options.signal).then(() => store(redactEvent(event), options));
    // Whoever asked is told; the one behind gets its turn all the same, and not before everybody in front had theirs.
    last = Promise.allSettled([last, stored]).then(() => undefined);
    return stored;
  };
  return {
    live,
    leave: () => leaving.abort(),
    record: (event, signal) => inTurn(event, { signal }),
    recordAs: (id, event) => inTurn(event, { id }),
  };
}

interface StoreOptions {
  readonly signal?: AbortSignal | undefined;
  readonly id?: EventId | undefined;
}

/** Aborts a while after `signal`: time for the last words. */
export function abortShortlyAfter(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  setMaxListeners(0, late.signal);
  const abort = () => void setTimeout(() => late.abort(signal.reason), leaveMs).unref();
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return late.signal;
}

export function isDiskFull(error: unknown): boolean {
  if (!TroupeError.is(error) || error.code !== "storage") return false;
  return hasErrorCode(error.cause, "ENOSPC", "EDQUOT");
}
