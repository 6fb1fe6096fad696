import type { Clock, CreateId } from "../platform/index.ts";
import { openLineFile } from "../platform/index.ts";
import {
  type AgentId,
  type EventId,
  protocolVersion,
  type SessionId,
  StoredEnvelope,
  type StoredEvent,
  TroupeError,
} from "../protocol/index.ts";
import { logContainsEvent } from "./log-contains-event.ts";
import { readEventLog } from "./read-event-log.ts";
import { truncateTornTail } from "./truncate-torn-tail.ts";

/** One agent's stored events, in order. Whoever holds the session's claim is its only writer. */
export interface EventLog {
  readonly session: SessionId;
  readonly agent: AgentId;
  /** What was in it when it was opened. */
  readonly replayed: readonly StoredEnvelope[];
  /** What had to be put right when it was opened, for people. */
  readonly notices: readonly string[];
  /**
   * Resolves, in the order of the calls, with the envelope as a reader will see it, once it survives the death of this
   * process. If it rejects, nothing was stored, and the same event can be recorded again.
   */
  record(event: StoredEvent, id?: EventId): Promise<StoredEnvelope>;
  /** All in one write. A kill in the middle of it can leave the first of them without the rest. */
  recordAll(events: readonly StoredEvent[]): Promise<StoredEnvelope[]>;
  /** Whether an event like this was ever stored, read again from where it is. `id` is an id that is in it. */
  holds(id: string, is: (event: StoredEvent) => boolean): Promise<boolean>;
  /** Resolves when all that is stored survives a power cut too. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenEventLogOptions {
  readonly path: string;
  readonly session: SessionId;
  /** Whose log it is, if it is new; an old one says so itself. */
  readonly agent: AgentId;
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  readonly durability?: "process" | "soon" | "disk";
  /** Run once before the first write: makes folders, claims the session. What it throws, `record` rejects with. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Reads and checks the whole log. A torn end, which a crash leaves, is set aside; anything worse is an error, since a
 * conversation with a hole in it is not the one that was had.
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

/** The same without a file: for sessions that leave no trace, and for tests. `kept` holds what is recorded, and before. */
export function createMemoryLog(
  options: Omit<OpenEventLogOptions, "path" | "durability" | "prepare"> & { readonly kept?: StoredEnvelope[] },
): EventLog {
  const { kept = [] } = options;
  const append = async (added: readonly StoredEnvelope[]) => void kept.push(...added);
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

interface LogParts {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly replayed: readonly StoredEnvelope[];
  readonly notices: readonly string[];
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  append(added: readonly StoredEnvelope[]): Promise<void>;
  holds: EventLog["holds"];
  sync(): Promise<void>;
  close(): Promise<void>;
}

function createLog(parts: LogParts): EventLog {
  const { session, agent, replayed, notices, clock, createId } = parts;
  let seq = replayed.length;
  let queue: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const recordAll = (events: readonly StoredEvent[], id?: EventId): Promise<StoredEnvelope[]> => {
    if (closing !== undefined) {
      return Promise.reject(new TroupeError("session_closed", `Session ${session} is closed; resume it to go on.`));
    }
    return inTurn(() => storeAll(events, id));
  };

  /** One after another: the number of the next depends on whether the one before was stored. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };

  const storeAll = async (events: readonly StoredEvent[], id: EventId | undefined) => {
    const at = new Date(clock.now()).toISOString();
    const envelopes = events.map((event, i) =>
      asStored({ v: protocolVersion, id: id ?? createId<EventId>("evt"), session, agent, seq: seq + i + 1, at, event }),
    );
    await parts.append(envelopes);
    seq += envelopes.length;
    return envelopes;
  };

  const record = async (event: StoredEvent, id?: EventId) => (await recordAll([event], id))[0] as StoredEnvelope;

  const close = () => {
    closing ??= inTurn(() => parts.close());
    return closing;
  };

  const { holds, sync } = parts;
  return { session, agent, replayed, notices, record, recordAll: (events) => recordAll(events), holds, sync, close };
}

/** Compiling the check of each kind of event takes longer than a whole session saves by it; reading a long log does not. */
const interpreted = { jitless: true } as const;

/** As it will be read back. An event that could not be is refused here, not on the day the session is resumed. */
function asStored(envelope: StoredEnvelope): StoredEnvelope {
  let json: string;
  try {
    json = JSON.stringify(envelope);
  } catch (cause) {
    throw new TroupeError("storage", `A ${envelope.event.type} event cannot be written as JSON: ${String(cause)}.`, {
      cause,
    });
  }
  const parsed = StoredEnvelope.safeParse(JSON.parse(json), interpreted);
  if (parsed.success) return parsed.data;
  throw new TypeError(`A ${envelope.event.type} event is not what its schema says: ${parsed.error.message}`);
}
