import { type AgentReport, giveUpReason, leftMarkersTask } from "../../agent/index.ts";
import { AgentId } from "../../protocol/index.ts";
import { type Conflict, leftMarkers, type Resolution } from "../../team/index.ts";
import type { DelegatedWork } from "./run-delegated-task.ts";

type Delegate = (work: DelegatedWork) => Promise<AgentReport>;

/** Gives a conflict to an agent. An agent that says it is done and left conflict markers gets one more turn. */
export async function askConflictAgent(
  delegate: Delegate,
  conflict: Conflict,
  work: DelegatedWork,
): Promise<{ readonly resolution: Resolution; readonly said: string }> {
  const first = await delegate(work);
  const left = failureOf(first) === undefined ? await leftMarkers(conflict) : [];
  const report =
    left.length === 0
      ? first
      : await delegate({ ...work, who: { agent: AgentId.parse(first.agentId) }, prompt: leftMarkersTask(left) });
  const failure = failureOf(report);
  return { resolution: failure === undefined ? "resolved" : { unresolved: failure }, said: report.text };
}

const failureOf = ({ status, text, reason }: AgentReport): string | undefined =>
  status === "completed" ? giveUpReason(text) : (reason ?? status);
