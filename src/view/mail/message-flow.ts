import type { AgentId, Envelope, Event } from "../../protocol/index.ts";
import { emptyKeyed, type KeyedList, valueAt, valuesOf, withValue } from "../lists/keyed-list.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** A message: mail between members of a team, or a task or report between an agent and its parent. */
export interface Message {
  /** Sorts by time of sending. */
  readonly id: string;
  readonly how: "mail" | "order" | "report";
  /** `name@team` for a member, the id for any other agent. */
  readonly from: string;
  readonly to: string;
  /** The kind of a mail. */
  readonly kind: string;
  readonly summary: string;
  /** According to the sender's log; undefined if that log was not read. */
  readonly sentAt: number | undefined;
  readonly receivedAt: number | undefined;
}

export interface MessageEdge {
  readonly from: string;
  readonly to: string;
  readonly sent: number;
  readonly received: number;
  readonly lastAt: number;
}

/** The messages between agents. Bounded. The logs may be read in any order, each one in its own order. */
export interface MessageFlow {
  /** By `edgeKey`. */
  readonly edges: KeyedList<string, MessageEdge>;
  /** The latest messages, oldest first. */
  readonly recent: readonly Message[];
  /** For each agent: its names in its teams, its parent, and the last event read from its log. */
  readonly agents: KeyedList<AgentId, Known>;
}

interface Known {
  readonly names: ReadonlyMap<string, string>;
  readonly parent: AgentId | undefined;
  readonly seq: number;
}

export const emptyMessageFlow: MessageFlow = { edges: emptyKeyed(), recent: [], agents: emptyKeyed() };

export const maxMessages = 300;
export const maxEdges = 2000;

export const memberKey = (name: string, team: string): string => `${name}@${team}`;

/** The number of messages along an edge, even if only the log of one end was read. */
export const messageCount = ({ sent, received }: MessageEdge): number => Math.max(sent, received);

/** Pure. Returns the same object if nothing is new. Ignores duplicate stored envelopes. */
export function reduceMessageFlow(flow: MessageFlow, envelope: Envelope): MessageFlow {
  const step = steps[envelope.event.type] as Step<Event> | undefined;
  if (!step) return flow;
  const { agent, seq } = envelope;
  const known = valueAt(flow.agents, agent) ?? unknown;
  if (seq <= known.seq) return flow;
  const { message, ...learnt } = step(known, envelope.event, envelope);
  const agents = withValue(flow.agents, agent, { ...known, ...learnt, seq });
  return message ? { ...withMessage(flow, message), agents } : { ...flow, agents };
}

/** Merges the message flow of several sessions. Sender and receiver may have different sessions. */
export function joinMessageFlows(all: readonly MessageFlow[]): Pick<MessageFlow, "edges" | "recent"> {
  if (all.length <= 1) return all[0] ?? emptyMessageFlow;
  let { edges }: MessageFlow = emptyMessageFlow;
  const messages = new Map<string, Message>();
  for (const flow of all) {
    for (const edge of valuesOf(flow.edges)) edges = withEdge(edges, edge);
    for (const message of flow.recent) {
      const known = messages.get(message.id);
      messages.set(message.id, known ? mergeMessages(known, message) : message);
    }
  }
  const sorted = [...messages.values()].sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
  const recent = sorted.slice(-maxMessages);
  return { edges, recent };
}

const unknown: Known = { names: new Map(), parent: undefined, seq: 0 };

interface StepResult extends Partial<Omit<Known, "seq">> {
  readonly message?: Message;
}

type Step<E> = (known: Known, event: E, envelope: Envelope) => StepResult;

const steps: { readonly [T in Event["type"]]?: Step<Of<T>> } = {
  "agent.spawned": (_, { parent }) => ({ parent }),
  "team.joined": ({ names }, { team, name }) => ({ names: new Map(names).set(team, name) }),
  "mail.sent": ({ names }, { team, mailId, kind, to, summary = "" }, { agent, at }) => {
    const name = names.get(team);
    const ends = { from: name === undefined ? agent : memberKey(name, team), to: memberKey(to, team) };
    const report = { id: mailId, how: "mail", kind, summary: short(summary), ...ends } as const;
    return { message: { ...report, sentAt: Date.parse(at), receivedAt: undefined } };
  },
  "mail.received": ({ names }, { team, mailId, kind, from, summary = "" }, { agent, at }) => {
    const name = names.get(team);
    const ends = { from: memberKey(from, team), to: name === undefined ? agent : memberKey(name, team) };
    const report = { id: mailId, how: "mail", kind, summary: short(summary), ...ends } as const;
    return { message: { ...report, sentAt: undefined, receivedAt: Date.parse(at) } };
  },
  "prompt.admitted": ({ parent }, { source }, envelope) =>
    parent !== undefined && source === "agent"
      ? { message: { ...between(envelope, "order"), from: parent, to: envelope.agent } }
      : {},
  "agent.idle": ({ parent }, { reason }, envelope) =>
    parent === undefined
      ? {}
      : { message: { ...between(envelope, "report"), from: envelope.agent, to: parent, kind: reason } },
};

/** An agent and its parent are in one process: a sent message is received at once. */
function between({ id, at }: Envelope, how: "order" | "report") {
  const time = Date.parse(at);
  return { id, how, kind: how, summary: "", sentAt: time, receivedAt: time } as const;
}

const short = (text: string): string => (text.length > 160 ? text.slice(0, 160) : text);

function withMessage({ edges, recent, agents }: MessageFlow, message: Message): MessageFlow {
  const { from, to, sentAt, receivedAt } = message;
  const lastAt = Math.max(sentAt ?? 0, receivedAt ?? 0);
  const total = { from, to, sent: sentAt === undefined ? 0 : 1, received: receivedAt === undefined ? 0 : 1, lastAt };
  return { edges: withEdge(edges, total), recent: insertMessage(recent, message), agents };
}

export const edgeKey = (from: string, to: string): string => JSON.stringify([from, to]);

function withEdge(edges: MessageFlow["edges"], edge: MessageEdge): MessageFlow["edges"] {
  const key = edgeKey(edge.from, edge.to);
  const known = valueAt(edges, key);
  const grown = withValue(edges, key, known ? addEdges(known, edge) : edge);
  return grown.values.length > maxEdges ? busiestEdges(grown) : grown;
}

const addEdges = (a: MessageEdge, b: MessageEdge): MessageEdge => ({
  ...a,
  sent: a.sent + b.sent,
  received: a.received + b.received,
  lastAt: Math.max(a.lastAt, b.lastAt),
});

/** Keeps the half of the edges with the most recent messages. */
function busiestEdges(edges: MessageFlow["edges"]): MessageFlow["edges"] {
  const kept = [...valuesOf(edges)].sort((a, b) => b.lastAt - a.lastAt).slice(0, maxEdges >>> 1);
  let list: MessageFlow["edges"] = emptyKeyed();
  for (const edge of kept) list = withValue(list, edgeKey(edge.from, edge.to), edge);
  return list;
}

/** Keeps each message once, in order of sending; the oldest are dropped. */
function insertMessage(recent: readonly Message[], message: Message): readonly Message[] {
  const rank = rankOf(message);
  let at = recent.length;
  while (at > 0 && rankOf(recent[at - 1] as Message) > rank) at -= 1;
  const known = recent[at - 1];
  if (known?.id === message.id) return recent.with(at - 1, mergeMessages(known, message));
  if (at === 0 && recent.length >= maxMessages) return recent;
  return recent.toSpliced(at, 0, message).slice(-maxMessages);
}

const mergeMessages = (a: Message, b: Message): Message => ({
  ...a,
  sentAt: a.sentAt ?? b.sentAt,
  receivedAt: a.receivedAt ?? b.receivedAt,
});

/** Ids begin with their kind; the rest sorts by time. */
const rankOf = ({ id }: Message): string => id.slice(id.indexOf("_") + 1);
