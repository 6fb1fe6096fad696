import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import {
  type AgentPath,
  type CallId,
  type PromptId,
  type SessionId,
  type StoredEvent,
} from "../../../src/protocol/index.ts";

export const createId = createIdFactory(systemClock);
export const newSessionId = (): SessionId => createId<SessionId>("ses");
export const storeOptions = { clock: systemClock, createId };

/** A short session of one turn. */
export function sampleEvents(sessionId: SessionId, { cwd = "/work", prompt = "Say hello" } = {}): StoredEvent[] {
  const promptId = createId<PromptId>("prm");
  const callId = "call_1" as CallId;
  return [
    { type: "session.opened", sessionId, version: "0.0.0", cwd, resumed: false },
    {
      type: "agent.spawned",
      path: "lead" as AgentPath,
      agentType: "lead",
      model: "scripted/a",
      permissionMode: "default",
      cwd,
    },
    { type: "prompt.admitted", promptId, source: "user", parts: [{ type: "text", text: prompt }] },
    { type: "prompt.promoted", promptId },
    { type: "turn.started", turn: 1, model: "scripted/a" },
    {
      type: "turn.ended",
      turn: 1,
      parts: [{ type: "text", text: "hällo 🎭" }],
      stopReason: "tool_use",
      contextTokens: 9,
      durationMs: 1,
    },
    {
      type: "tool.called",
      turn: 1,
      callId,
      name: "Read",
      input: { path: "a", deep: [1, { b: null }] },
      title: "Read a",
    },
    { type: "tool.settled", callId, durationMs: 2, outcome: "ok", content: [{ type: "text", text: "x" }] },
  ];
}

export const note = (message: string): StoredEvent => ({ type: "notice.raised", level: "info", code: "note", message });
