import type { StoredEvent } from "../src/protocol/index.ts";
import { agentLogs } from "./checks/agent-log.ts";
import type { RunRecord } from "./world/run-scenario.ts";

/** How often each situation was reached: an agent in a state, and what happened to it there. */
export type Coverage = Map<string, number>;

/** Adds the situations of one run. A situation that never occurs is a hole in the generator. */
export function addSituations(record: RunRecord, coverage: Coverage): void {
  for (const { isLead, events } of agentLogs(record)) {
    const role = isLead ? "lead" : "teammate";
    let state = "new";
    for (const { event } of events) {
      const what = eventName(event);
      if (what !== undefined) count(coverage, `${role}, ${state}: ${what}`);
      state = stateAfter(event, state);
    }
  }
}

export const coverageLines = (coverage: Coverage): readonly string[] =>
  [...coverage]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([situation, times]) => `${String(times).padStart(8)}  ${situation}`);

const count = (coverage: Coverage, situation: string) => coverage.set(situation, (coverage.get(situation) ?? 0) + 1);

function stateAfter(event: StoredEvent, state: string): string {
  switch (event.type) {
    case "session.opened":
      return event.resumed ? "resumed" : "new";
    case "turn.started":
      return "asks its model";
    case "turn.ended":
      return event.parts.some(({ type }) => type === "tool_call") ? "runs calls" : "has answered";
    case "permission.asked":
      return "waits for an answer";
    case "permission.settled":
      return "runs calls";
    case "agent.idle":
      return event.reason === "completed" ? "idle" : event.reason;
    default:
      return state;
  }
}

function eventName(event: StoredEvent): string | undefined {
  switch (event.type) {
    case "prompt.admitted":
      return event.source === "mail" ? undefined : `prompt from ${event.source}`;
    case "mail.received":
      return `mail ${event.kind}`;
    case "mail.sent":
      return `sends ${event.kind}`;
    case "session.opened":
      return event.resumed ? "the program starts again" : undefined;
    case "permission.settled":
      return `${event.behavior} by ${event.by}`;
    case "turn.failed":
      return `failure ${event.failure.kind}`;
    case "agent.idle":
      return `idle, ${event.reason}`;
    case "task.claimed":
    case "agent.stopped":
    case "member.joined":
    case "team.left":
    case "context.compacted":
      return event.type;
    case "task.updated":
      return `task ${event.status ?? "changed"}`;
    case "tool.settled":
      return `call ${event.outcome}`;
    default:
      return undefined;
  }
}
