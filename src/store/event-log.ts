import { type Clock, type CreateId, createSerialQueue, openLineFile } from "../platform/index.ts";
import {
  type AgentId,
  type EventId,
  protocolVersion,
  type SessionId,
  type StoredEnvelope,
  StoredEvent,
  TroupeError,
} from "../protocol/index.ts";
import { logContainsEvent } from "./log-contains-event.ts";
import { readEventLog } from "./read-event-log.ts";
import { truncateTornTail } from "./truncate-torn-tail.ts";

/** One agent's stored events, in order. The process that holds the session's claim is the only writer. */
export interface EventLog {
  readonly session: SessionId;
  readonly agent: AgentId;
  /** The events in the log when it was opened. */
  readonly replayed: readonly StoredEnvelope[];
  /** Repairs made when the log was opened, for people. */
  readonly notices: readonly string[];
  /**
   * Resolves in the order of the calls with the envelope as a reader will see it, once it survives the death of this
   * process. If it rejects, nothing was stored and the same event can be recorded again.
   */
  record(event: StoredEvent, id?: EventId): Promise<StoredEnvelope>;
  /** Stores all events in one write. A kill in the middle can leave only the first ones. */
  recordAll(events: readonly StoredEvent[]): Promise<StoredEnvelope[]>;
  /** True if a matching event was ever stored; reads the file again. `id` is an id that occurs in the event. */
  holds(id: string, is: (event: StoredEvent) => boolean): Promise<boolean>;
  /** Resolves when everything stored also survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenEventLogOptions {
  readonly path: string;
  readonly session: SessionId;
  /** The owner of a new log. An existing log names its owner itself. */
  readonly agent: AgentId;
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  readonly durability?: "process" | "soon" | "disk";
  /** Runs once before the first write: creates folders and claims the session. `record` rejects with its error. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Reads and checks the whole log. A torn tail after a crash is moved aside. Any other damage is an error, since a
 * conversation with a gap is not the real one.
 */
export async function openEventLog(options: OpenEventLogOptions): Promise<EventLog> {
  const { path, session, durability = "soon" } = options;
  const { envelopes, tornAt, notices } = readEventLog(path, { session });
  if (tornAt !== undefined) notices.push(await truncateTornTail(path, { from: tornAt, clock: options.clock }));
  const file = openLineFile(path, { durability, soleWriter: true });
  let isPrepared = false;
  const append = async (added: readonly StoredEnvelope[]) => {
    if (!isPrepared) await options.prepare?.();
    isPrepared = true;
    await file.append(added);
  };
  const agent = envelopes[0]?.agent ?? options.agent;
  const holds: EventLog["holds"] = (id, is) => logContainsEvent(path, { id, matches: is });
  return createLog({
    ...options,
    agent,
    replayed: envelopes,
    notices,
    append,
    holds,
    sync: file.sync,
    close: () => file.close(),
  });
}

/**
 * A log without a file, for sessions that store nothing and for tests. `kept` holds the earlier and the recorded
 * events. `append` adds to it; it may refuse or never settle.
 */
export function createMemoryLog(options: MemoryLogOptions): EventLog {
  const { kept = [], append = async (added) => void kept.push(...added) } = options;
  const holds: EventLog["holds"] = async (_id, is) => kept.some(({ event }) => is(event));
  return createLog({
    ...options,
    replayed: [...kept],
    notices: [],
    append,
    holds,
    sync: async () => undefined,
    close: async () => undefined,
  });
}

export interface MemoryLogOptions extends Omit<OpenEventLogOptions, "path" | "durability" | "prepare"> {
  readonly kept?: StoredEnvelope[];
  /** Default: interpreted. */
  readonly validators?: Validators | undefined;
  readonly append?: (added: readonly StoredEnvelope[]) => Promise<void>;
}

/** Compiling the validators costs more than a session saves. A process with many sessions is different. */
export type Validators = "interpreted" | "compiled";

interface LogParts {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly replayed: readonly StoredEnvelope[];
  readonly notices: readonly string[];
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  readonly validators?: Validators | undefined;
  append(added: readonly StoredEnvelope[]): Promise<void>;
  holds: EventLog["holds"];
  sync(): Promise<void>;
  close(): Promise<void>;
}

function createLog(parts: LogParts): EventLog {
  const { session, agent, replayed, notices, clock, createId } = parts;
  const params = { jitless: parts.validators !== "compiled" };
  let seq = replayed.length;
  /** One write at a time: the next number depends on whether the previous write succeeded. */
  const queue = createSerialQueue();
  let closing: Promise<void> | undefined;

  const recordAll = (events: readonly StoredEvent[], id?: EventId): Promise<StoredEnvelope[]> => {
    if (closing !== undefined) {
      return Promise.reject(new TroupeError("session_closed", `Session ${session} is closed. Resume it to continue.`));
    }
    return queue.run(() => storeAll(events, id));
  };

  const storeAll = async (events: readonly StoredEvent[], id: EventId | undefined) => {
    const at = new Date(clock.now()).toISOString();
    const envelopes = events.map((event, i): StoredEnvelope => {
      const eventId = id ?? createId<EventId>("evt");
      return { v: protocolVersion, id: eventId, session, agent, seq: seq + i + 1, at, event: asStored(event, params) };
    });
    await parts.append(envelopes);
    seq += envelopes.length;
    return envelopes;
  };

  const record = async (event: StoredEvent, id?: EventId) => (await recordAll([event], id))[0] as StoredEnvelope;

  const close = () => {
    closing ??= queue.run(() => parts.close());
    return closing;
  };

  const { holds, sync } = parts;
  return { session, agent, replayed, notices, record, recordAll: (events) => recordAll(events), holds, sync, close };
}

/** Returns the event as it will be read back. An unreadable one is rejected here, not when the session is resumed. */
function asStored(event: StoredEvent, params: { readonly jitless: boolean }): StoredEvent {
  let json: string;
  try {
    json = JSON.stringify(event);
  } catch (cause) {
    throw new TroupeError("storage", `cannot write a ${event.type} event as JSON: ${String(cause)}.`, { cause });
  }
  const parsed = StoredEvent.safeParse(JSON.parse(json), params);
  if (parsed.success) return parsed.data;
  throw new TypeError(`A ${event.type} event does not match its schema: ${parsed.error.message}`);
}
