import * as fc from "fast-check";
import {
  type AgentId,
  type AgentPath,
  type BackgroundId,
  type CallId,
  type Envelope,
  type Event,
  type EventId,
  type PromptId,
  type RequestId,
  type SessionId,
} from "../../../src/protocol/index.ts";
import { isLive } from "../../../src/view/index.ts";

export const sessionId = "ses_00000000" as SessionId;
export const lead = "agt_00000000" as AgentId;
export const helper = "agt_11111111" as AgentId;
export const callId = (name: string) => name as CallId;
export const promptId = (number: number) => `prm_0000000${number}` as PromptId;
export const requestId = (number: number) => `ask_0000000${number}` as RequestId;
export const backgroundId = (number: number) => `bg_0000000${number}` as BackgroundId;

export const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 7 };
export const failure = { kind: "overloaded", message: "the server is busy" } as const;

/** Puts events into envelopes as a log would: stored ones are counted, live ones repeat the number. */
export function enclose(events: readonly (Event | readonly [AgentId, Event])[]): Envelope[] {
  const seqs = new Map<AgentId, number>();
  return events.map((entry, index) => {
    const [agent, event] = "type" in entry ? [lead, entry] : entry;
    const seq = (seqs.get(agent) ?? 0) + (isLive(event) ? 0 : 1);
    seqs.set(agent, seq);
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    return { v: 1, id: `evt_${String(index).padStart(8, "0")}` as EventId, session: sessionId, agent, seq, at, event };
  });
}

export const opened = (resumed = false): Event => ({
  type: "session.opened",
  sessionId,
  version: "1.0.0",
  cwd: "/work/project",
  resumed,
});

export const spawned = (path = "lead", parent?: AgentId): Event => ({
  type: "agent.spawned",
  path: path as AgentPath,
  agentType: "general",
  model: "scripted/a.json",
  permissionMode: "default",
  cwd: "/work/project",
  ...(parent && { parent }),
});

export const prompted = (number: number, text: string): Event[] => [
  { type: "prompt.admitted", promptId: promptId(number), source: "user", parts: [{ type: "text", text }] },
  { type: "prompt.promoted", promptId: promptId(number) },
];

/** Any events in any order, with few ids so that they collide: valid logs and invalid ones. */
export const anyEvents: fc.Arbitrary<(readonly [AgentId, Event])[]> = fc.array(
  fc.tuple(fc.constantFrom(lead, helper), fc.oneof(...eventArbitraries())),
  { maxLength: 120 },
);

function eventArbitraries(): fc.Arbitrary<Event>[] {
  const turn = fc.integer({ min: 1, max: 3 });
  const text = fc.string({ maxLength: 12 });
  const call = fc.constantFrom("c1", "c2", "c3").map(callId);
  const prompt = fc.integer({ min: 1, max: 3 }).map(promptId);
  const request = fc.integer({ min: 1, max: 3 }).map(requestId);
  const background = fc.integer({ min: 1, max: 3 }).map(backgroundId);
  const content = fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 2 });
  const answerPart = fc.oneof(
    fc.record({ type: fc.constant("text"), text }),
    fc.record({ type: fc.constant("thinking"), text }),
    fc.record({
      type: fc.constant("tool_call"),
      callId: call,
      name: fc.constant("Bash"),
      input: fc.constant({ command: "ls" }),
    }),
  );
  return [
    fc.boolean().map((resumed) => opened(resumed)),
    as("session.closed", { reason: fc.constantFrom("completed", "failed") }),
    fc.constant(spawned("lead/helper", lead)),
    as("agent.changed", { model: text }),
    as("agent.idle", { reason: fc.constantFrom("completed", "interrupted", "failed", "limit") }),
    as("agent.summarized", { scope: fc.constantFrom("progress", "history"), text: fc.string() }),
    as("agent.stopped", { outcome: fc.constantFrom("completed", "failed", "killed") }),
    as("context.composed", { system: fc.constant(["be good"]) }),
    as("context.compacted", {
      trigger: fc.constant("asked"),
      summary: text,
      keptFromTurn: fc.constant(null),
      tokensBefore: fc.nat(),
    }),
    as("prompt.admitted", { promptId: prompt, source: fc.constant("user"), parts: content }),
    as("prompt.promoted", { promptId: prompt }),
    as("turn.started", { turn, model: fc.constantFrom("a/b", "__proto__") }),
    as("turn.ended", {
      turn,
      parts: fc.array(answerPart, { maxLength: 4 }),
      stopReason: fc.constant("end_turn"),
      contextTokens: fc.nat(),
      durationMs: fc.nat(),
    }),
    as("turn.failed", { turn, failure: fc.constantFrom(failure, { ...failure, kind: "aborted" }) }),
    as("cost.recorded", {
      purpose: fc.constantFrom("answer", "lost"),
      model: fc.constantFrom("a/b", "__proto__"),
      usage: fc.constant(usage),
      costUsd: fc.constant(0.25),
    }),
    as("tool.called", { turn, callId: call, name: fc.constant("Bash"), input: fc.constant({}), title: text }),
    as("tool.settled", { callId: call, durationMs: fc.nat(), outcome: fc.constantFrom("ok", "denied"), content }),
    as("permission.asked", {
      requestId: request,
      callId: call,
      tool: text,
      input: fc.constant({}),
      question: text,
      suggestions: fc.constant([]),
    }),
    as("permission.settled", { requestId: request, behavior: fc.constant("allow"), by: fc.constant("user") }),
    as("background.started", {
      backgroundId: background,
      kind: fc.constant("shell"),
      description: text,
      outputFile: text,
    }),
    as("background.ended", { backgroundId: background, status: fc.constant("completed"), exitCode: fc.constant(0) }),
    as("notice.raised", { level: fc.constant("info"), code: text, message: text }),
    as("text.delta", { turn, text }),
    as("thinking.delta", { turn, text }),
    as("tool.drafted", { turn, name: fc.constantFrom("Read", "Bash"), inputJson: text }),
    as("tool.progress", { callId: call, text }),
    as("turn.waiting", { turn, reason: text }),
    as("turn.retried", { turn, attempt: fc.nat(), delayMs: fc.nat(), failure: fc.constant(failure) }),
    as("background.output", { backgroundId: background, text }),
    as("command.settled", { ok: fc.boolean() }),
  ];
}

/** The schema test checks what the types here do not. */
function as<T extends Event["type"]>(
  type: T,
  shape: { [K in keyof Extract<Event, { type: T }>]?: fc.Arbitrary<unknown> },
): fc.Arbitrary<Event> {
  return fc.record({ ...shape, type: fc.constant(type) }) as unknown as fc.Arbitrary<Event>;
}
