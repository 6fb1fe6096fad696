import type { CallId, Envelope, Event, ToolCallPart } from "../../protocol/index.ts";
import type { AgentView } from "./agent-view.ts";
import { append, itemAt, replaceAt } from "../lists/chunked-list.ts";
import { appendTail } from "../activity/output-tail.ts";
import type { CallItem, TranscriptItem } from "../transcript/transcript-item.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** A call that the model asked for. It has not started and may never start. */
export const callPart = (part: Pick<ToolCallPart, "callId" | "name" | "input">, turn: number) =>
  ({
    kind: "call",
    turn,
    callId: part.callId,
    name: part.name,
    input: part.input,
    title: part.name,
    state: "asked",
    result: undefined,
    progress: "",
  }) as const;

export function startCall(agent: AgentView, { seq, at }: Envelope, called: Of<"tool.called">): AgentView {
  const { turn, callId, input, title } = called;
  if (openCall(agent, callId)) return withCall(agent, callId, (call) => ({ ...call, input, title, state: "running" }));
  const openCalls = new Map(agent.openCalls).set(callId, agent.transcript.length);
  const item: TranscriptItem = { ...callPart(called, turn), title, state: "running", seq, at };
  return { ...agent, openCalls, transcript: append(agent.transcript, item) };
}

export function progressCall(agent: AgentView, { callId, text }: Of<"tool.progress">): AgentView {
  return withCall(agent, callId, (call) => ({ ...call, progress: appendTail(call.progress, text) }));
}

/** The first result of a call is final: a settled call is no longer open. */
export function settleCall(agent: AgentView, settled: Of<"tool.settled">): AgentView {
  const { callId, outcome, content, display, savedTo, durationMs } = settled;
  const result = { content, display, savedTo, durationMs };
  const after = withCall(agent, callId, (call) => ({ ...call, state: outcome, result, progress: "" }));
  if (after === agent) return agent;
  const openCalls = new Map(agent.openCalls);
  openCalls.delete(callId);
  return { ...after, openCalls };
}

function withCall(agent: AgentView, callId: CallId, change: (call: CallItem) => CallItem): AgentView {
  const open = openCall(agent, callId);
  return open ? { ...agent, transcript: replaceAt(agent.transcript, open.index, change(open.call)) } : agent;
}

function openCall(agent: AgentView, callId: CallId): { index: number; call: CallItem } | undefined {
  const index = agent.openCalls.get(callId);
  const call = index === undefined ? undefined : itemAt(agent.transcript, index);
  return index !== undefined && call?.kind === "call" ? { index, call } : undefined;
}
