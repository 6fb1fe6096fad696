import { Envelope, type SessionId, SessionListing, StoredEvent, LiveEvent } from "../../../src/protocol/index.ts";
import * as z from "zod";

/** One message of the stream of events. */
export type Message =
  | { readonly kind: "sessions"; readonly sessions: readonly SessionListing[] }
  | { readonly kind: "envelopes"; readonly envelopes: readonly Envelope[] }
  | { readonly kind: "caught-up"; readonly session: SessionId }
  | { readonly kind: "state"; readonly session: SessionId; readonly state: SessionListing["state"] }
  | { readonly kind: "gone"; readonly session: SessionId; readonly message: string };

export const messageTypes = ["sessions", "envelopes", "caught-up", "state", "gone"] as const;
export type MessageType = (typeof messageTypes)[number];

const About = z.object({ session: Envelope.shape.session });
const State = About.extend({ state: SessionListing.shape.state });
const Gone = About.extend({ message: z.string() });

/** Throws on what is none. */
export function readMessage(type: MessageType, data: string): Message {
  const value: unknown = JSON.parse(data);
  switch (type) {
    case "sessions":
      return { kind: type, sessions: z.array(SessionListing).parse(value) };
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
 * The frames are looked at and nothing else: the program that serves the page has checked each event against its schema when
 * it read it, and a hundred thousand of them are wanted in a second. Events of a type that this page does not know, because
 * a newer program took the older one's place, are left out.
 */
export function readEnvelopes(value: unknown): readonly Envelope[] {
  if (!Array.isArray(value)) throw new TypeError("envelopes come as a list");
  return value.filter((each: unknown): each is Envelope => {
    if (!isFrame(each)) throw new TypeError("what came is no envelope");
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
