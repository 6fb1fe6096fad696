import type { StoredEnvelope, StoredEvent } from "../protocol/index.ts";

/**
 * Where an agent's events are kept. The agent is the only writer. `record` resolves when the event survives the death of
 * this process, and rejects if it was not stored; then nothing of it is ever seen by a reader.
 */
export interface EventSink {
  record(event: StoredEvent): Promise<StoredEnvelope>;
}
