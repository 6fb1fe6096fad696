import { readLines } from "../platform/index.ts";
import { type SessionId, StoredEnvelope } from "../protocol/index.ts";
import { readEventLog } from "./read-event-log.ts";

export interface EventSelection {
  readonly session: SessionId;
  /** True for wanted event types. Other events are not checked. */
  readonly only: (type: string) => boolean;
}

/** Reads and checks only events of some types, for display: most of the time of reading a long log goes into checks. */
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
  // Reading the whole log reports what is wrong and where.
  return isSound ? envelopes : readEventLog(path, { session }).envelopes.filter(({ event }) => only(event.type));
}

function typeOf(value: unknown): string {
  if (typeof value !== "object" || value === null || !("event" in value)) return "";
  const { event } = value;
  return typeof event === "object" && event !== null && "type" in event ? String(event.type) : "";
}
