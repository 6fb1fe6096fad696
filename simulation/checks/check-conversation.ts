import { isDeepStrictEqual } from "node:util";
import { createConversation } from "../../src/agent/index.ts";
import type { Message } from "../../src/protocol/index.ts";
import type { SeenRequest } from "../model/policy-model.ts";
import type { RunRecord } from "../world/run-scenario.ts";
import { agentLogs, type AgentLog, type Fault } from "./agent-log.ts";

/**
 * Each request continues the previous one of its agent, also across a restart. And it shows what the log shows: an
 * agent that was killed just before it, and resumed, would make the same request.
 */
export function checkConversations(record: RunRecord): Fault[] {
  return agentLogs(record).flatMap((log) => {
    const requests = record.requests.filter(
      ({ agent, request }) => agent === log.name && request.caller.purpose === "answer",
    );
    return [...brokenConversation(log, requests), ...openCalls(log, requests), ...unlikeLog(log, requests)];
  });
}

function brokenConversation({ name, events }: AgentLog, requests: readonly SeenRequest[]): Fault[] {
  const broken = requests.find(({ request }, index) => {
    const before = requests[index - 1];
    return before && !isPrefix(before.request.messages, request.messages);
  });
  if (!broken) return [];
  const { turn } = broken.request.caller;
  return [
    {
      rule: "conversation",
      at: startOf(turn, events),
      message: `turn ${turn} of ${name} does not continue its earlier conversation`,
    },
  ];
}

/** The last message may have got more parts since: prompts that came after a turn that failed. */
function isPrefix(before: readonly Message[], now: readonly Message[]): boolean {
  return before.every((message, at) => {
    const same = now[at];
    if (!same || same.role !== message.role) return false;
    const parts = at === before.length - 1 ? same.parts.slice(0, message.parts.length) : same.parts;
    return isDeepStrictEqual(parts, message.parts);
  });
}

/** Providers refuse a request with a call that has no result. */
function openCalls({ name, events }: AgentLog, requests: readonly SeenRequest[]): Fault[] {
  const last = requests.at(-1)?.request;
  const parts = last?.messages.flatMap((message) => [...message.parts]) ?? [];
  const settled = new Set(parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])));
  const open = parts.find((part) => part.type === "tool_call" && !settled.has(part.callId));
  if (!last || !open) return [];
  const { turn } = last.caller;
  return [
    { rule: "conversation", at: startOf(turn, events), message: `turn ${turn} of ${name} has a call without a result` },
  ];
}

/** Folds the log again, as a resumed agent does, and compares each request with it. */
function unlikeLog({ name, events }: AgentLog, requests: readonly SeenRequest[]): Fault[] {
  const byTurn = new Map(requests.map(({ request }) => [request.caller.turn, request]));
  const conversation = createConversation();
  for (const { at, event } of events) {
    conversation.apply(event);
    const request = event.type === "turn.started" ? byTurn.get(event.turn) : undefined;
    if (request && !isDeepStrictEqual(request.messages, conversation.messages()))
      return [
        {
          rule: "conversation",
          at,
          message: `turn ${request.caller.turn} of ${name} shows another log than the stored`,
        },
      ];
  }
  return [];
}

const startOf = (turn: number, events: AgentLog["events"]) =>
  events.find(({ event }) => event.type === "turn.started" && event.turn === turn)?.at ?? 0;
