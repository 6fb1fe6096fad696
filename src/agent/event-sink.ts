import type { EventId, StoredEnvelope, StoredEvent } from "../protocol/index.ts";

/**
 * Where an agent's events are kept. The agent is the only writer. `record` resolves when the event survives the death of
 * this process, and rejects if it was not stored; then nothing of it is ever seen by a reader.
 */
export interface EventSink {
  /** With an id of its own where it comes from elsewhere, and must be known again. */
  record(event: StoredEvent, id?: EventId): Promise<StoredEnvelope>;
  /** Whether an event like this was ever stored, looked up where it is kept. `id` is an id that is in it. */
  holds(id: string, is: (event: StoredEvent) => boolean): Promise<boolean>;
  /** Resolves when all that is recorded survives a power cut too. */
  sync(): Promise<void>;
}
