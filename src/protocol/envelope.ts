import * as z from "zod";
import { Event, StoredEvent } from "./event.ts";
import { AgentId, EventId, SessionId } from "./ids.ts";

/** Increase it whenever an older program could misread what a newer one wrote. */
export const protocolVersion = 1;

const frame = {
  v: z.literal(protocolVersion),
  id: EventId,
  session: SessionId,
  agent: AgentId,
  /** Counts the stored events of one agent from 1 without gaps. A live event repeats the previous number. */
  seq: z.number().int().nonnegative(),
  at: z.iso.datetime(),
};

/** The only frame for events: in the log, in `stream-json`, on the dashboard and in tests. */
export const Envelope = z.object({ ...frame, event: Event });
export type Envelope = z.infer<typeof Envelope>;

export const StoredEnvelope = z.object({ ...frame, event: StoredEvent });
export type StoredEnvelope = z.infer<typeof StoredEnvelope>;
