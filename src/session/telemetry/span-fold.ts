import type { AgentId, CallId, Envelope, Event } from "../../protocol/index.ts";
import {
  type AgentSpans,
  endSpan,
  openCall,
  openChat,
  openRun,
  openSession,
  type OpenSpan,
  openTurn,
} from "./open-span.ts";
import type { Span } from "./span.ts";

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
  const calls = new Map<string, OpenSpan>();
  let session: OpenSpan | undefined;

  const agentOf = (id: AgentId): AgentSpans => {
    const known = agents.get(id) ?? { id, path: "", type: "", model: "", startedBy: undefined };
    agents.set(id, known);
    return known;
  };

  return (envelope) => {
    const { event } = envelope;
    const [now, agent, ended] = [Date.parse(envelope.at), agentOf(envelope.agent), [] as Span[]];
    const end = (open: OpenSpan | undefined, error?: string) => {
      if (open) ended.push(endSpan(open, now, error));
    };

    switch (event.type) {
      case "session.opened":
        session = openSession(envelope, event, options.parentSpanId);
        break;
      case "agent.spawned":
        Object.assign(agent, { path: event.path, type: event.agentType, model: event.model });
        agent.startedBy = event.parent && event.callId && calls.get(keyOf(event.parent, event.callId))?.id;
        break;
      case "turn.started":
        endTurn(agent, { calls, end });
        agent.model = event.model;
        agent.run ??= openRun(agent, envelope, agent.startedBy ?? session?.id);
        agent.turn = openTurn(agent, envelope, event.turn);
        agent.chat = openChat(agent, envelope);
        break;
      case "cost.recorded":
        if (event.purpose === "answer" && agent.chat) Object.assign(agent.chat.attributes, usageAttributes(event));
        break;
      case "turn.ended":
        if (agent.chat) Object.assign(agent.chat.attributes, answerAttributes(event, options));
        end(agent.chat);
        agent.chat = undefined;
        break;
      case "turn.failed":
        if (agent.chat) agent.chat.attributes["error.type"] = event.failure.kind;
        endTurn(agent, { calls, end }, event.failure.message);
        break;
      case "tool.called": {
        const call = openCall(envelope, event, agent.turn?.id ?? agent.run?.id ?? session?.id);
        if (options.content) call.attributes["gen_ai.tool.call.arguments"] = JSON.stringify(event.input) ?? "";
        calls.set(keyOf(agent.id, event.callId), call);
        break;
      }
      case "permission.asked":
        agent.asked = { requestId: event.requestId, callId: event.callId, at: now };
        break;
      case "permission.settled": {
        if (agent.asked?.requestId !== event.requestId) break;
        const call = calls.get(keyOf(agent.id, agent.asked.callId));
        const waitMs = now - agent.asked.at;
        if (call) Object.assign(call.attributes, permissionAttributes(event, waitMs));
        break;
      }
      case "tool.settled": {
        const call = calls.get(keyOf(agent.id, event.callId));
        calls.delete(keyOf(agent.id, event.callId));
        if (!call) break;
        Object.assign(call.attributes, resultAttributes(event, options));
        end(call, event.outcome === "ok" ? undefined : event.outcome);
        break;
      }
      case "agent.idle":
        endRun(agent, { calls, end }, event.reason === "failed" ? (event.detail ?? event.reason) : undefined);
        break;
      case "agent.stopped":
        endRun(agent, { calls, end }, event.outcome === "completed" ? undefined : (event.detail ?? event.outcome));
        break;
      case "session.closed":
        for (const one of agents.values()) endAgent(one, end, "the session was closed");
        for (const call of calls.values()) end(call, "the session was closed");
        calls.clear();
        end(session, event.reason === "failed" ? event.reason : undefined);
        session = undefined;
        break;
      case "agent.changed":
      case "agent.rewound":
      case "agent.summarized":
      case "background.ended":
      case "background.output":
      case "background.started":
      case "command.settled":
      case "context.compacted":
      case "context.composed":
      case "context.inherited":
      case "hook.ran":
      case "session.named":
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

interface Ending {
  readonly calls: Map<string, OpenSpan>;
  readonly end: (open: OpenSpan | undefined, error?: string) => void;
}

function endTurn(agent: AgentSpans, { calls, end }: Ending, error?: string): void {
  end(agent.chat, error);
  for (const [id, call] of calls) {
    if (call.agent !== agent.id) continue;
    end(call, "never settled");
    calls.delete(id);
  }
  end(agent.turn, error);
  agent.chat = undefined;
  agent.turn = undefined;
}

function endRun(agent: AgentSpans, ending: Ending, error?: string): void {
  endTurn(agent, ending, error);
  ending.end(agent.run, error);
  agent.run = undefined;
}

function endAgent(agent: AgentSpans, end: Ending["end"], error: string): void {
  for (const each of [agent.chat, agent.turn, agent.run]) end(each, error);
  Object.assign(agent, { chat: undefined, turn: undefined, run: undefined });
}

const answerAttributes = ({ stopReason, parts }: Of<"turn.ended">, { content }: SpanFoldOptions) => ({
  "gen_ai.response.finish_reasons": [stopReason],
  ...(content && { "gen_ai.output.messages": JSON.stringify(parts) }),
});

const permissionAttributes = ({ behavior }: Of<"permission.settled">, waitMs: number) => ({
  "troupe.permission.wait_ms": waitMs,
  "troupe.permission.behavior": behavior,
});

const resultAttributes = ({ outcome, content }: Of<"tool.settled">, options: SpanFoldOptions) => ({
  "troupe.tool.outcome": outcome,
  ...(outcome !== "ok" && { "error.type": outcome }),
  ...(options.content && { "gen_ai.tool.call.result": JSON.stringify(content) }),
});

/** The input tokens include cached tokens. */
const usageAttributes = ({ usage, costUsd }: Of<"cost.recorded">) => ({
  "gen_ai.usage.input_tokens": usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
  "gen_ai.usage.output_tokens": usage.outputTokens,
  "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
  "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
  "troupe.cost_usd": costUsd,
});
