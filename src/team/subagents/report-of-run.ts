import type { AgentReport, RunOutcome } from "../../agent/index.ts";
import { leadPath, messageOf } from "../../protocol/index.ts";
import type { SubagentActivation } from "./subagent-activation.ts";
import type { SubagentIdentity } from "./subagent.ts";
import type { RunEnd } from "./subagent-state.ts";

export interface EndedRun {
  readonly outcome: RunOutcome | undefined;
  /** Set if the run was ended from outside. */
  readonly end: RunEnd | undefined;
  /** The number of messages that it has not answered. */
  readonly unanswered: number;
}

/** The report of a run that has ended, before its worktree is kept or removed. */
export function reportOfRun(
  { id, name, description, path }: SubagentIdentity,
  { evidence, lastText, runtime }: SubagentActivation,
  { outcome, end: ended, unanswered }: EndedRun,
): AgentReport {
  const continuesRemotely = runtime.continuesRemotely?.() ?? false;
  const end = continuesRemotely ? continuesElsewhere : (ended ?? interruptedEnd(outcome));
  const status = end?.status ?? (outcome?.reason === "completed" ? "completed" : "failed");
  const { text: words, usage } = evidence();
  return {
    agentId: id,
    name,
    description,
    status,
    text: lastText(),
    reason: end?.reason ?? (status === "failed" ? (outcome?.detail ?? "no reason was given") : undefined),
    evidence: [words, ...unansweredLine(unanswered)].join("\n"),
    isForLead: isChildOfLead(path),
    usage,
    ...(continuesRemotely && { goesOn: continuesRemotely }),
  };
}

/** The report of an agent that could not be opened. */
export function notStartedReport({ id, description }: SubagentIdentity, error: unknown): AgentReport {
  const reason = messageOf(error);
  const usage = { tokens: 0, toolCalls: 0, durationMs: 0 };
  return { agentId: id, description, status: "failed", text: "", reason, evidence: "Nothing was done.", usage };
}

const continuesElsewhere: RunEnd = {
  status: "stopped",
  reason: "the session was closed; the agent continues on another machine and reports when the session is resumed",
};

const interruptedEnd = (outcome: RunOutcome | undefined): RunEnd | undefined =>
  outcome?.reason === "interrupted" ? { status: "stopped", reason: "it was interrupted" } : undefined;

/** Only the lead lands branches. */
export const isChildOfLead = (path: string): boolean => path.startsWith(`${leadPath}/`) && path.split("/").length === 2;

function unansweredLine(count: number): string[] {
  if (count === 0) return [];
  const messages = count === 1 ? "1 message was" : `${count} messages were`;
  return [`${messages} not read: it ended before it could answer. Send it again if it is still needed.`];
}
