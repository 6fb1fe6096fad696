import type { AgentReport } from "../../agent/index.ts";
import type { AgentId, PromptId, StoredEnvelope } from "../../protocol/index.ts";
import { type CrashReport, createCrashReport, type LoggedWorktree } from "../../team/index.ts";
import type { AgentRuntime } from "../agent-runtime/agent-runtime.ts";
import type { StartedWork } from "../agent-runtime/background-work.ts";
import type { SessionLog } from "../session-context.ts";

/** Reports on subagents that were running when the previous process ended. */
export interface LostAgents {
  /** The report on a background job, if it was a subagent. */
  reportLostWork(started: StartedWork): Promise<CrashReport | "still running" | undefined>;
  /** Reports agents that a call was waiting for. Call it before open calls are closed. */
  reportLostAgents(runtime: AgentRuntime, log: readonly StoredEnvelope[]): Promise<void>;
}

export interface LostAgentsPorts {
  readonly log: Pick<SessionLog, "readAgents">;
  /** True for a remote agent that this run has resumed. */
  readonly isResumed: (id: AgentId) => boolean;
  readonly wantsCheck: boolean;
  /** The worktree of an agent as it is now. */
  readonly lookAtWorktree: (worktree: LoggedWorktree) => Promise<AgentReport["worktree"]>;
}

export function createLostAgents(ports: LostAgentsPorts): LostAgents {
  const { log, isResumed, wantsCheck } = ports;
  const reportOn = async (
    work: { readonly agent: AgentId; readonly taskId?: string; readonly description: string },
    envelopes: readonly StoredEnvelope[],
  ) => {
    const logged = spawnOf(envelopes)?.worktree;
    const worktree = logged && (await ports.lookAtWorktree(logged));
    return createCrashReport({ ...work, wantsCheck, worktree }, envelopes);
  };
  return {
    async reportLostWork({ agent, backgroundId: taskId, description }) {
      if (agent === undefined) return undefined;
      if (isResumed(agent)) return "still running";
      const envelopes = (await log.readAgents()).get(agent) ?? [];
      return reportOn({ agent, taskId, description }, envelopes);
    },
    async reportLostAgents(runtime, replayed) {
      const open = new Set(runtime.conversation.openCalls().map(({ call }) => call.callId));
      if (open.size === 0) return;
      const known = new Set(
        replayed.flatMap(({ event }) => (event.type === "background.started" ? (event.agent ?? []) : [])),
      );
      for (const [agent, envelopes] of await log.readAgents()) {
        const spawned = spawnOf(envelopes);
        if (spawned?.parent !== runtime.id || known.has(agent) || isResumed(agent)) continue;
        if (spawned.callId === undefined || !open.has(spawned.callId)) continue;
        const description = spawned.description ?? spawned.agentType;
        const { text } = await reportOn({ agent, description }, envelopes);
        const promptId = agent.replace(/^agt_/, "prm_") as PromptId;
        await runtime.agent.admitOnce({ promptId, source: "background", parts: [{ type: "text", text }] });
      }
    },
  };
}

const spawnOf = (envelopes: readonly StoredEnvelope[]) =>
  envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
