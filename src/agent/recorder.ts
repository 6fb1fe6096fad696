import type { Clock, CreateId } from "../platform/index.ts";
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
   * not go on with a hole in its log. Any other storage failure rejects.
   */
  record(event: StoredEvent, signal?: AbortSignal): Promise<void>;
  live(event: LiveEvent): void;
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

export function createRecorder(options: RecorderOptions): Recorder {
  const { sink, conversation, emit, clock, createId, session, agent } = options;
  let seq = options.seq;

  const live = (event: LiveEvent) => {
    const at = new Date(clock.now()).toISOString();
    emit({ v: protocolVersion, id: createId<EventId>("evt"), session, agent, seq, at, event });
  };

  const store = async (event: StoredEvent, signal?: AbortSignal) => {
    for (;;) {
      try {
        const envelope = await sink.record(event);
        seq = envelope.seq;
        conversation.apply(event);
        emit(envelope);
        return;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        live({
          type: "turn.waiting",
          turn: conversation.turn,
          reason: "the disk is full: free some space and it goes on by itself; nothing is lost",
        });
        await clock.sleep(retryMs, signal);
      }
    }
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    live,
    record(event, signal) {
      const stored = last.then(() => store(redactEvent(event), signal));
      last = stored.catch(() => undefined); // whoever asked is told; the one behind must get its turn all the same
      return stored;
    },
  };
}

function isDiskFull(error: unknown): boolean {
  if (!TroupeError.is(error) || error.code !== "storage") return false;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return code === "ENOSPC" || code === "EDQUOT";
}
