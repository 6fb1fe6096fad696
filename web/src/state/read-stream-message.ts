import {
  Envelope,
  type SessionId,
  SessionListing,
  SessionSummary,
  StoredEvent,
  LiveEvent,
} from "../../../src/protocol/index.ts";
import * as z from "zod";
import type { StreamEvent } from "./shared-stream/stream-events.ts";

export type Message =
  | { readonly kind: "sessions"; readonly sessions: readonly SessionListing[] }
  | { readonly kind: "envelopes"; readonly envelopes: readonly Envelope[] }
  | { readonly kind: "caught-up"; readonly session: SessionId }
  | { readonly kind: "state"; readonly session: SessionId; readonly state: SessionListing["state"] }
  | { readonly kind: "summaries"; readonly summaries: readonly SessionSummary[] }
  | { readonly kind: "gone"; readonly session: SessionId; readonly message: string };

const About = z.object({ session: Envelope.shape.session });
const State = About.extend({ state: SessionListing.shape.state });
const Gone = About.extend({ message: z.string() });

/** Throws if the data is not a message. */
export function readMessage(type: StreamEvent, data: string): Message {
  const value: unknown = JSON.parse(data);
  switch (type) {
    case "sessions":
      return { kind: type, sessions: z.array(SessionListing).parse(value) };
    case "summaries":
      return { kind: type, summaries: z.array(SessionSummary).parse(value) };
    case "envelopes":
      return { kind: type, envelopes: readEnvelopes(value) };
    case "caught-up":
      return { kind: type, ...About.parse(value) };
    case "state":
      return { kind: type, ...State.parse(value) };
    case "gone":
      return { kind: type, ...Gone.parse(value) };
  }
}

/**
 * Checks only the frames: the server has already validated each event against its schema, and the page must read a
 * hundred thousand of them in a second. Events of unknown types, sent by a newer server, are dropped.
 */
export function readEnvelopes(value: unknown): readonly Envelope[] {
  if (!Array.isArray(value)) throw new TypeError("envelopes must be a list");
  return value.filter((each: unknown): each is Envelope => {
    if (!isFrame(each)) throw new TypeError("not an envelope");
    return known.has(each.event.type);
  });
}

const known: ReadonlySet<string> = new Set(
  [...StoredEvent.options, ...LiveEvent.options].map((option) => option.shape.type.value),
);

function isFrame(value: unknown): value is Omit<Envelope, "event"> & { event: { type: string } } {
  if (typeof value !== "object" || value === null) return false;
  const { session, agent, seq, at, event } = value as Partial<Record<keyof Envelope, unknown>>;
  return (
    typeof session === "string" &&
    typeof agent === "string" &&
    typeof seq === "number" &&
    typeof at === "string" &&
    typeof event === "object" &&
    event !== null &&
    "type" in event &&
    typeof event.type === "string"
  );
}
