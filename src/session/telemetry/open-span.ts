import type { AgentId, CallId, Envelope, Event } from "../../protocol/index.ts";
import { type AttributeValue, type Span, spanIdOf } from "./span.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** A span that has not ended. */
export interface OpenSpan extends Omit<Span, "spanId" | "parentSpanId" | "endMs" | "error" | "attributes"> {
  readonly id: string;
  readonly agent: AgentId;
  readonly parent: string | undefined;
  readonly attributes: Record<string, AttributeValue>;
}

/** An agent and its open spans. */
export interface AgentSpans {
  readonly id: AgentId;
  path: string;
  type: string;
  model: string;
  startedBy: string | undefined;
  run?: OpenSpan | undefined;
  turn?: OpenSpan | undefined;
  chat?: OpenSpan | undefined;
  asked?: { readonly requestId: string; readonly callId: CallId; readonly at: number };
}

export function openSession(envelope: Envelope, event: Of<"session.opened">, parent: string | undefined): OpenSpan {
  return open(event.resumed ? ["session", envelope.id] : ["session", event.sessionId], envelope, {
    name: "session",
    parent,
    attributes: { "gen_ai.conversation.id": event.sessionId, "troupe.version": event.version },
  });
}

export const openRun = (agent: AgentSpans, envelope: Envelope, parent: string | undefined): OpenSpan =>
  open(["run", envelope.id], envelope, {
    name: `invoke_agent ${agent.path || agent.type}`,
    parent,
    attributes: { "gen_ai.operation.name": "invoke_agent", ...agentAttributes(agent, envelope) },
  });

export const openTurn = (agent: AgentSpans, envelope: Envelope, turn: number): OpenSpan =>
  open(["turn", envelope.id], envelope, {
    name: `turn ${turn}`,
    parent: agent.run?.id,
    attributes: { "troupe.turn": turn, ...agentAttributes(agent, envelope) },
  });

export const openChat = (agent: AgentSpans, envelope: Envelope): OpenSpan =>
  open(["chat", envelope.id], envelope, {
    name: `chat ${modelName(agent.model)}`,
    kind: "client",
    parent: agent.turn?.id,
    attributes: { "gen_ai.operation.name": "chat", ...modelAttributes(agent.model) },
  });

export const openCall = (envelope: Envelope, event: Of<"tool.called">, parent: string | undefined): OpenSpan =>
  open(["tool", envelope.agent, event.callId], envelope, {
    name: `execute_tool ${event.name}`,
    parent,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": event.name,
      "gen_ai.tool.call.id": event.callId,
      "gen_ai.tool.type": "function",
    },
  });

type NewSpan = Omit<OpenSpan, "id" | "kind" | "agent" | "startMs"> & { readonly kind?: Span["kind"] };

const open = (words: readonly string[], { agent, at }: Envelope, span: NewSpan): OpenSpan => ({
  kind: "internal",
  ...span,
  agent,
  startMs: Date.parse(at),
  id: spanIdOf(...words),
});

export function endSpan(span: OpenSpan, now: number, error?: string): Span {
  const { id, parent, name, kind, startMs, attributes } = span;
  const endMs = Math.max(now, startMs);
  return { spanId: id, parentSpanId: parent, name, kind, startMs, endMs, attributes, error };
}

const agentAttributes = (agent: AgentSpans, { session }: Envelope) => ({
  "gen_ai.agent.id": agent.id,
  "gen_ai.agent.name": agent.path || agent.type,
  "gen_ai.conversation.id": session,
});

const modelAttributes = (ref: string) => ({
  "gen_ai.provider.name": ref.split("/")[0] ?? ref,
  "gen_ai.request.model": modelName(ref),
});

const modelName = (ref: string) => ref.slice(ref.indexOf("/") + 1);
