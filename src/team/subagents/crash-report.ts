import { agentNotification, type AgentReport } from "../../agent/index.ts";
import type { AgentId, StoredEnvelope, StoredEvent } from "../../protocol/index.ts";
import { evidenceOf } from "../evidence/evidence.ts";
import { evidenceText } from "../evidence/evidence-text.ts";
import { isChildOfLead } from "./report-of-run.ts";
import { subagentName } from "./subagent-name.ts";

export interface CrashReport {
  readonly status: AgentReport["status"];
  readonly text: string;
}

/**
 * The report for an agent whose end was not reported before the process ended. It says how the agent ended, or what it
 * had done and that it can be resumed.
 */
export function createCrashReport(
  work: {
    readonly agent: AgentId;
    readonly taskId?: string;
    readonly description: string;
    /** Reports are checked in this session, but this one was not. */
    readonly wantsCheck?: boolean | undefined;
    /** Its worktree as it is now. */
    readonly worktree?: AgentReport["worktree"];
  },
  envelopes: readonly StoredEnvelope[],
): CrashReport {
  const evidence = evidenceOf(envelopes);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = evidence.tokens;
  const events = envelopes.map(({ event }) => event);
  const answer = events.findLast((event) => event.type === "turn.ended");
  const spawned = events.find((event) => event.type === "agent.spawned");
  const asked = events.findLast((event) => event.type === "prompt.admitted" && event.source === "agent");
  const joinText = (parts: readonly { type: string; text?: string }[] = []) =>
    parts.map(({ text }) => text ?? "").join("\n");
  const said = joinText(answer?.parts.filter((part) => part.type === "text"));
  const { status, reason } = endStatus(events);
  const text = agentNotification(work.taskId, asked?.type === "prompt.admitted" ? joinText(asked.parts) : "", {
    agentId: work.agent,
    name: spawned && subagentName(work.agent, spawned),
    description: work.description,
    status,
    reason,
    text: said,
    evidence: evidenceText(evidence, { hasReport: said.trim() !== "" }),
    ...(work.wantsCheck && { handOver: { verdict: "not checked", why: "the process ended before the check" } }),
    usage: {
      tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
      toolCalls: Object.values(evidence.toolCalls).reduce((sum, count) => sum + count, 0),
      durationMs: evidence.durationMs,
    },
    isForLead: spawned !== undefined && isChildOfLead(spawned.path),
    worktree: work.worktree,
  });
  return { status, text };
}

const steps = new Set(["prompt.admitted", "prompt.promoted", "turn.started", "agent.idle"]);

function endStatus(events: readonly StoredEvent[]): Pick<AgentReport, "status" | "reason"> {
  const last = events.findLast(({ type }) => steps.has(type));
  if (last?.type !== "agent.idle" || last.reason === "interrupted") {
    return {
      status: "stopped",
      reason: "the process ended while the agent worked. It was interrupted: SendMessage resumes it",
    };
  }
  if (last.reason === "completed") return { status: "completed" };
  return { status: "failed", reason: last.detail ?? "no reason was given" };
}
