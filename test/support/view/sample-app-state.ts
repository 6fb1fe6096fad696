import type { AgentId, Envelope, Event, SessionId, StoredEnvelope } from "../../../src/protocol/index.ts";
import {
  type AppState,
  createAppState,
  isLive,
  type SubagentRow,
  applyEnvelope,
  type ShellRow,
  type ActivityRow,
  type TeammateRow,
} from "../../../src/view/index.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { backgroundId, callId, enclose, helper, lead, opened, requestId, spawned } from "./sample-envelopes.ts";

export const start = Date.UTC(2026, 0, 1);
export const second = "agt_22222222" as AgentId;
export const mate = "agt_33333333" as AgentId;
export const mateSession = "ses_33333333" as SessionId;
export const mateId = "scout@crew";

/** The state after these events, frozen: a change in place throws. */
export function stateAfter(events: readonly (Event | readonly [AgentId, Event])[]): AppState {
  return follow(createAppState({ now: start }), enclose(events));
}

export const follow = (state: AppState, envelopes: readonly Envelope[]): AppState => {
  let next = state;
  for (const envelope of envelopes) next = deepFreeze(applyEnvelope(next, envelope));
  return next;
};

export const stored = (envelopes: readonly Envelope[], agent: AgentId): StoredEnvelope[] =>
  envelopes.filter((envelope) => envelope.agent === agent && !isLive(envelope.event)) as StoredEnvelope[];

export const said = (turn: number, text: string): Event => ({
  type: "turn.ended",
  turn,
  parts: [{ type: "text", text }],
  stopReason: "end_turn",
  contextTokens: 1,
  durationMs: 1,
});

export const begun = (turn = 1): Event => ({ type: "turn.started", turn, model: "scripted/a.json" });
export const idle = (reason: "completed" | "interrupted" | "failed" = "completed", detail?: string): Event => ({
  type: "agent.idle",
  reason,
  ...(detail !== undefined && { detail }),
});

/** The lead and one subagent at work. */
export const oneHelper = [opened(), spawned(), [helper, spawned("lead/helper", lead)], [helper, begun()]] as const;

export const shell = (number = 1): Event => ({
  type: "background.started",
  backgroundId: backgroundId(number),
  kind: "shell",
  description: "npm test",
  outputFile: "/tmp/out",
});

export const member = (state: Extract<Event, { type: "member.changed" }>["state"], more = {}): Event => ({
  type: "member.changed",
  team: "crew",
  name: "scout",
  state,
  since: "2026-01-01T00:00:00.000Z",
  alive: "alive",
  role: "teammate",
  color: "cyan",
  agentType: "explorer",
  backendType: "in-process",
  sessionId: mateSession,
  ...more,
});

export const joined = (role: "lead" | "teammate", name = role === "lead" ? "team-lead" : "scout"): Event => ({
  type: "team.joined",
  team: "crew",
  name,
  role,
});

export function taskOf<T extends ActivityRow["type"]>(state: AppState, id: string, type: T): TaskOf<T> {
  const task = state.activityRows.get(id);
  if (task?.type !== type) throw new Error(`${id} is ${task?.type ?? "not there"}, not ${type}`);
  return task as TaskOf<T>;
}

type TaskOf<T> = T extends "local_agent" ? SubagentRow : T extends "local_bash" ? ShellRow : TeammateRow;

export const asked = (number: number): Event => ({
  type: "permission.asked",
  requestId: requestId(number),
  callId: callId(`c${number}`),
  tool: "Bash",
  input: {},
  question: "May it?",
  suggestions: [],
});

export const answered = (number: number): Event => ({
  type: "permission.settled",
  requestId: requestId(number),
  behavior: "allow",
  by: "user",
});
