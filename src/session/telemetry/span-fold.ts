import type { AgentId, CallId, Envelope, Event } from "../../protocol/index.ts";
import { type AttributeValue, type Span, spanIdOf } from "./span.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export interface SpanFoldOptions {
  /** The parent of the session's span: from a caller, or from the session of the team's lead. */
  readonly parentSpanId: string | undefined;
  /** Includes prompts, answers, inputs and results. */
  readonly content: boolean;
}

/**
 * Turns envelopes into ended spans: session → run of an agent → turn → model request and tool calls. Open spans end
 * when the session closes.
 */
export function createSpanFold(options: SpanFoldOptions): (envelope: Envelope) => readonly Span[] {
  const agents = new Map<AgentId, AgentSpans>();
  /** The open calls by agent and call id. The call that started a subagent is the parent of its span. */
  const calls = new Map<string, Open>();
  let session: Open | undefined;

  const agentOf = (id: AgentId): AgentSpans => {
    const known = agents.get(id) ?? { id, path: "", type: "", model: "", startedBy: undefined };
    agents.set(id, known);
    return known;
  };

  return (envelope) => {
    const { event } = envelope;
    const now = Date.parse(envelope.at);
    const agent = agentOf(envelope.agent);
    const ended: Span[] = [];
    const end = (open: Open | undefined, error?: string) => {
      if (open) ended.push(endOf(open, { now, error }));
    };
    const endTurn = (error?: string) => {
      end(agent.chat, error);
      for (const [id, call] of calls) {
        if (call.agent !== agent.id) continue;
        end(call, "never settled");
        calls.delete(id);
      }
      end(agent.turn, error);
      agent.chat = undefined;
      agent.turn = undefined;
    };
    const endRun = (error?: string) => {
      endTurn(error);
      end(agent.run, error);
      agent.run = undefined;
    };

    switch (event.type) {
      case "session.opened":
        session = open(event.resumed ? ["session", envelope.id] : ["session", event.sessionId], {
          ...facts(agent, now),
          name: "session",
          parent: options.parentSpanId,
          attributes: { "gen_ai.conversation.id": event.sessionId, "troupe.version": event.version },
        });
        break;
      case "agent.spawned":
        Object.assign(agent, { path: event.path, type: event.agentType, model: event.model });
        agent.startedBy = event.parent && event.callId && calls.get(keyOf(event.parent, event.callId))?.id;
        break;
      case "turn.started":
        endTurn();
        agent.model = event.model;
        agent.run ??= open(["run", envelope.id], {
          ...facts(agent, now),
          name: `invoke_agent ${agent.path || agent.type}`,
          parent: agent.startedBy ?? session?.id,
          attributes: { "gen_ai.operation.name": "invoke_agent", ...agentAttributes(agent, envelope) },
        });
        agent.turn = open(["turn", envelope.id], {
          ...facts(agent, now),
          name: `turn ${event.turn}`,
          parent: agent.run.id,
          attributes: { "troupe.turn": event.turn, ...agentAttributes(agent, envelope) },
        });
        agent.chat = open(["chat", envelope.id], {
          ...facts(agent, now),
          name: `chat ${modelName(event.model)}`,
          kind: "client",
          parent: agent.turn.id,
          attributes: { "gen_ai.operation.name": "chat", ...modelAttributes(event.model) },
        });
        break;
      case "cost.recorded":
        if (event.purpose === "answer" && agent.chat) Object.assign(agent.chat.attributes, usageAttributes(event));
        break;
      case "turn.ended":
        if (agent.chat) {
          agent.chat.attributes["gen_ai.response.finish_reasons"] = [event.stopReason];
          if (options.content) agent.chat.attributes["gen_ai.output.messages"] = JSON.stringify(event.parts);
        }
        end(agent.chat);
        agent.chat = undefined;
        break;
      case "turn.failed":
        if (agent.chat) agent.chat.attributes["error.type"] = event.failure.kind;
        endTurn(event.failure.message);
        break;
      case "tool.called":
        calls.set(
          keyOf(agent.id, event.callId),
          open(["tool", envelope.agent, event.callId], {
            ...facts(agent, now),
            name: `execute_tool ${event.name}`,
            parent: agent.turn?.id ?? agent.run?.id ?? session?.id,
            attributes: {
              "gen_ai.operation.name": "execute_tool",
              "gen_ai.tool.name": event.name,
              "gen_ai.tool.call.id": event.callId,
              "gen_ai.tool.type": "function",
              ...(options.content && { "gen_ai.tool.call.arguments": JSON.stringify(event.input) ?? "" }),
            },
          }),
        );
        break;
      case "permission.asked":
        agent.asked = { requestId: event.requestId, callId: event.callId, at: now };
        break;
      case "permission.settled": {
        const call =
          agent.asked?.requestId === event.requestId ? calls.get(keyOf(agent.id, agent.asked.callId)) : undefined;
        if (call && agent.asked)
          Object.assign(call.attributes, {
            "troupe.permission.wait_ms": now - agent.asked.at,
            "troupe.permission.behavior": event.behavior,
          });
        break;
      }
      case "tool.settled": {
        const call = calls.get(keyOf(agent.id, event.callId));
        calls.delete(keyOf(agent.id, event.callId));
        if (!call) break;
        call.attributes["troupe.tool.outcome"] = event.outcome;
        if (event.outcome !== "ok") call.attributes["error.type"] = event.outcome;
        if (options.content) call.attributes["gen_ai.tool.call.result"] = JSON.stringify(event.content);
        end(call, event.outcome === "ok" ? undefined : event.outcome);
        break;
      }
      case "agent.idle":
        endRun(event.reason === "failed" ? (event.detail ?? event.reason) : undefined);
        break;
      case "agent.stopped":
        endRun(event.outcome === "completed" ? undefined : (event.detail ?? event.outcome));
        break;
      case "session.closed":
        for (const one of agents.values()) {
          for (const each of [one.chat, one.turn, one.run]) end(each, each && "the session was closed");
          Object.assign(one, { chat: undefined, turn: undefined, run: undefined });
        }
        for (const call of calls.values()) end(call, "the session was closed");
        calls.clear();
        end(session, event.reason === "failed" ? event.reason : undefined);
        session = undefined;
        break;
      case "agent.changed":
      case "agent.summarized":
      case "background.ended":
      case "background.output":
      case "background.started":
      case "command.settled":
      case "context.compacted":
      case "context.composed":
      case "context.inherited":
      case "hook.ran":
      case "mail.received":
      case "mail.sent":
      case "mcp.changed":
      case "member.changed":
      case "member.joined":
      case "notice.raised":
      case "prompt.admitted":
      case "prompt.promoted":
      case "task.changed":
      case "task.claimed":
      case "task.created":
      case "task.updated":
      case "team.joined":
      case "team.left":
      case "text.delta":
      case "thinking.delta":
      case "tool.drafted":
      case "tool.progress":
      case "turn.retried":
      case "turn.waiting":
        break;
    }
    return ended;
  };
}

const keyOf = (agent: AgentId, call: CallId) => `${agent} ${call}`;

interface AgentSpans {
  readonly id: AgentId;
  path: string;
  type: string;
  model: string;
  startedBy: string | undefined;
  run?: Open | undefined;
  turn?: Open | undefined;
  chat?: Open | undefined;
  asked?: { readonly requestId: string; readonly callId: CallId; readonly at: number };
}

interface Open extends Omit<Span, "spanId" | "parentSpanId" | "endMs" | "error" | "attributes"> {
  readonly id: string;
  readonly agent: AgentId;
  readonly parent: string | undefined;
  readonly attributes: Record<string, AttributeValue>;
}

type NewSpan = Omit<Open, "id" | "kind"> & { readonly kind?: Span["kind"] };

const open = (words: readonly string[], span: NewSpan): Open => ({ kind: "internal", ...span, id: spanIdOf(...words) });

const facts = (agent: AgentSpans, startMs: number) => ({ agent: agent.id, startMs });

function endOf(span: Open, { now, error }: { now: number; error?: string | undefined }): Span {
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

/** The input tokens include cached tokens. */
const usageAttributes = ({ usage, costUsd }: Of<"cost.recorded">) => ({
  "gen_ai.usage.input_tokens": usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
  "gen_ai.usage.output_tokens": usage.outputTokens,
  "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
  "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
  "troupe.cost_usd": costUsd,
});
