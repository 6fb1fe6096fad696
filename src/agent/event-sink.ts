import type { EventId, StoredEnvelope, StoredEvent } from "../protocol/index.ts";

/**
 * Stores an agent's events. The agent is the only writer. `record` resolves when the event survives the end of this
 * process. It rejects if the event was not stored; then no reader ever sees any of it.
 */
export interface EventSink {
  /** An event from another process has its own `id`, so that a repeat is recognised. */
  record(event: StoredEvent, id?: EventId): Promise<StoredEnvelope>;
  /** Searches the store for a matching event. `id` is an id that the event contains. */
  holds(id: string, is: (event: StoredEvent) => boolean): Promise<boolean>;
  /** Resolves when all recorded events survive a power failure. */
  sync(): Promise<void>;
}
