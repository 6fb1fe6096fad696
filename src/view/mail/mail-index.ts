import type { AgentId, Envelope, Event, MailId, PromptId, SessionId } from "../../protocol/index.ts";
import { emptyKeyed, type KeyedList, valueAt, valuesOf, withValue } from "../lists/keyed-list.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** The facts about a mail from the logs. No event contains its text: the team keeps that. */
export interface MailFacts {
  readonly id: MailId;
  readonly team: string;
  /** Names within the team; empty if no log that was read has them. */
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly summary: string;
  readonly sentAt: string | undefined;
  /** When the receiver's log recorded it. */
  readonly receivedAt: string | undefined;
  /** When it entered the receiver's conversation, or the runtime acted on it. */
  readonly readAt: string | undefined;
  /** The event that received it. */
  readonly place: { readonly session: SessionId; readonly agent: AgentId; readonly seq: number } | undefined;
}

/**
 * The mail of a session according to its agents' logs. Bounded. The logs may be read in any order, each one in its own
 * order.
 */
export interface MailIndex {
  readonly mails: KeyedList<MailId, MailFacts>;
  /** For each agent: its names in its teams, and the last event read from its log. */
  readonly agents: KeyedList<AgentId, { readonly names: ReadonlyMap<string, string>; readonly seq: number }>;
}

export const emptyMailIndex: MailIndex = { mails: emptyKeyed(), agents: emptyKeyed() };

export const maxMails = 1_000;

/** Pure. Returns the same object if nothing is new. Ignores duplicate stored envelopes. */
export function reduceMailIndex(index: MailIndex, envelope: Envelope): MailIndex {
  const { event, agent, seq } = envelope;
  if (!isAboutMail(event)) return index;
  const known = valueAt(index.agents, agent) ?? unknownName;
  if (seq <= known.seq) return index;
  const names = event.type === "team.joined" ? new Map(known.names).set(event.team, event.name) : known.names;
  const agents = withValue(index.agents, agent, { names, seq });
  const facts = event.type === "team.joined" ? undefined : factsIn(event, envelope, names);
  return { agents, mails: facts ? withFacts(index.mails, facts) : index.mails };
}

/** Merges the mail of several sessions, by time of sending. Sender and receiver may have different sessions. */
export function joinMailIndexes(all: readonly MailIndex[]): readonly MailFacts[] {
  const mails = new Map<MailId, MailFacts>();
  for (const index of all)
    for (const facts of valuesOf(index.mails)) {
      const known = mails.get(facts.id);
      mails.set(facts.id, known ? mergeFacts(known, facts) : facts);
    }
  // Nothing is known yet about a mail that was read before its receipt was recorded.
  return [...mails.values()].filter(({ team }) => team !== "").sort((a, b) => (a.id < b.id ? -1 : 1));
}

type AboutMail = Of<"team.joined" | "mail.sent" | "mail.received" | "prompt.promoted">;

const isAboutMail = (event: Event): event is AboutMail =>
  event.type === "team.joined" ||
  event.type === "mail.sent" ||
  event.type === "mail.received" ||
  (event.type === "prompt.promoted" && mailIn(event.promptId) !== undefined);

const unknownName = { names: new Map<string, string>(), seq: 0 };

/** The id of the prompt that a mail becomes is derived from the mail's id. */
const mailIn = (id: PromptId): MailId | undefined =>
  id.startsWith("prm_m") ? (id.replace("prm_m", "mail_") as MailId) : undefined;

function factsIn(
  event: Exclude<AboutMail, { type: "team.joined" }>,
  { at, session, agent, seq }: Envelope,
  names: ReadonlyMap<string, string>,
): MailFacts | undefined {
  switch (event.type) {
    case "mail.sent": {
      const { mailId: id, team, kind, to, summary = "" } = event;
      return { ...unknown, id, team, from: names.get(team) ?? "", to, kind, summary, sentAt: at };
    }
    case "mail.received": {
      const { mailId: id, team, kind, from, summary = "", promptId } = event;
      const readAt = promptId === undefined ? at : undefined;
      const place = { session, agent, seq };
      return { ...unknown, id, team, from, to: names.get(team) ?? "", kind, summary, receivedAt: at, readAt, place };
    }
    case "prompt.promoted": {
      const id = mailIn(event.promptId);
      return id && { ...unknown, id, readAt: at };
    }
  }
}

const unknown = {
  team: "",
  from: "",
  to: "",
  kind: "",
  summary: "",
  sentAt: undefined,
  receivedAt: undefined,
  readAt: undefined,
  place: undefined,
} as const;

function withFacts(mails: MailIndex["mails"], facts: MailFacts): MailIndex["mails"] {
  const known = valueAt(mails, facts.id);
  const grown = withValue(mails, facts.id, known ? mergeFacts(known, facts) : facts);
  if (grown.values.length <= maxMails) return grown;
  // Keeps the later half.
  const kept = [...valuesOf(grown)].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(maxMails >>> 1);
  let list: MailIndex["mails"] = emptyKeyed();
  for (const each of kept) list = withValue(list, each.id, each);
  return list;
}

const mergeFacts = (a: MailFacts, b: MailFacts): MailFacts => ({
  id: a.id,
  team: a.team || b.team,
  from: a.from || b.from,
  to: a.to || b.to,
  kind: a.kind || b.kind,
  summary: a.summary || b.summary,
  sentAt: a.sentAt ?? b.sentAt,
  receivedAt: a.receivedAt ?? b.receivedAt,
  readAt: a.readAt ?? b.readAt,
  place: a.place ?? b.place,
});
