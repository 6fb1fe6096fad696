import { readLines } from "../platform/index.ts";
import { type SessionId, StoredEnvelope } from "../protocol/index.ts";
import { readEventLog } from "./read-event-log.ts";

export interface EventSelection {
  readonly session: SessionId;
  /** Whether events of this type are wanted; of others nothing is looked at. */
  readonly only: (type: string) => boolean;
}

/** The events of some types, checked, for who shows them: most of the time of reading a long log goes into the checks. */
export function readEventsOfTypes(path: string, { session, only }: EventSelection): StoredEnvelope[] {
  const { records, damaged, tail } = readLines(path);
  const values = records.map(({ value }) => value);
  if (tail && "value" in tail) values.push(tail.value);
  const envelopes: StoredEnvelope[] = [];
  let isSound = damaged.length === 0;
  for (const value of values) {
    if (!only(typeOf(value))) continue;
    const { data } = StoredEnvelope.safeParse(value);
    if (data?.session === session) envelopes.push(data);
    else isSound = false;
  }
  // Reading all of it says what is wrong and where.
  return isSound ? envelopes : readEventLog(path, { session }).envelopes.filter(({ event }) => only(event.type));
}

function typeOf(value: unknown): string {
  if (typeof value !== "object" || value === null || !("event" in value)) return "";
  const { event } = value;
  return typeof event === "object" && event !== null && "type" in event ? String(event.type) : "";
}
