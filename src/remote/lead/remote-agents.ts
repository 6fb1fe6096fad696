import { stillRunningRemotely } from "../../agent/index.ts";
import type { AgentId, BackgroundId, PromptId, StoredEnvelope } from "../../protocol/index.ts";
import {
  type AgentSlot,
  findSpawned,
  moveToBackground,
  type OpenedRuntime,
  type RepositoryContext,
  type RuntimeRequest,
  specFromLog,
  type SubagentRegistry,
} from "../../team/index.ts";
import type { RemoteParent, RemoteSession } from "./remote-session.ts";
import type { RemoteAgent } from "./remote-agent.ts";
import { openRemoteRuntime, resumeRemoteRuntime } from "./remote-runtime.ts";

export interface RemoteAgentsPorts {
  /** The session's own agent. */
  readonly lead: RemoteParent;
  placeAt(cwd: string): RepositoryContext;
}

/** The connections of a session that resumes its remote agents. */
export interface ResumePorts {
  readonly lead: RemoteParent;
  readonly subagents: Pick<SubagentRegistry, "restore">;
  acquireSlotNow(): AgentSlot;
}

/** The remote agents of a session, across resumes of the session. */
export interface RemoteAgents {
  open(request: RuntimeRequest, job: { readonly isSubmitted: boolean }): Promise<OpenedRuntime>;
  resume(log: readonly StoredEnvelope[], ports: ResumePorts): Promise<void>;
  isResumed(agent: AgentId): boolean;
  leave(): Promise<void>;
}

export function createRemoteAgents(shared: RemoteSession, ports: RemoteAgentsPorts): RemoteAgents {
  const { log: stored, extensions, ports: session } = shared.session;
  const { remote: work, createId } = session;
  const { opened } = stored;
  const running = new Map<AgentId, { readonly agent: RemoteAgent; readonly description: string }>();
  const resumed = new Set<AgentId>();

  const resume = async (
    id: AgentId,
    { spawned, again, prompt }: Unfinished,
    { lead, subagents, acquireSlotNow }: ResumePorts,
  ) => {
    const spec = specFromLog(id, spawned, extensions.definitions);
    const { description } = spec;
    const subagent = await subagents.restore(spec, { kind: "remote", isSubmitted: true });
    resumed.add(id);
    const run = subagent.run([], acquireSlotNow());
    const { tasks: background } = lead.background;
    const kept = await moveToBackground({ background }, { subagent, run, description, prompt, again });
    if (again !== undefined) return;
    const promptId = id.replace(/^agt_/, "prm_") as PromptId;
    const text = stillRunningRemotely({ description, ...kept });
    await lead.agent.admitOnce({ promptId, source: "background", parts: [{ type: "text", text }] });
  };

  return {
    async open(request, { isSubmitted }) {
      if (!work) throw new Error("there is no bus to other machines");
      const openRuntime = isSubmitted ? resumeRemoteRuntime : openRemoteRuntime;
      const { runtime, agent, finish } = await openRuntime(request, shared, {
        work,
        place: ports.placeAt(request.cwd),
      });
      running.set(request.agentId, { agent, description: request.path });
      return { runtime, finishWorktree: finish };
    },
    async resume(log, resumePorts) {
      if (!work) return;
      const logs = await stored.readAgents();
      const all = [log, ...logs.values()].flat();
      for (const [id, envelopes] of logs) {
        const unfinished = findUnfinished(id, envelopes, all);
        if (unfinished) await resume(id, unfinished, resumePorts);
      }
    },
    isResumed: (agent) => resumed.has(agent),
    async leave() {
      if (!work?.outlives) return;
      for (const [id, { agent, description }] of running) {
        if (!agent.running) continue;
        const { lead } = ports;
        const isTask = lead.background.tasks.list().some((task) => task.agent === id && !task.ended);
        if (!isTask) {
          // The call that waited for the agent ends here. This record lets the next run of the session find it.
          const backgroundId = createId<BackgroundId>("bg");
          const outputFile = opened.taskOutputFile(backgroundId);
          await lead.agent.record({
            type: "background.started",
            backgroundId,
            kind: "agent",
            agent: id,
            description,
            outputFile,
          });
        }
        agent.leave();
      }
    },
  };
}

interface Unfinished {
  readonly spawned: NonNullable<ReturnType<typeof findSpawned>>;
  readonly prompt: string;
  /** The id of its background job. */
  readonly again?: BackgroundId | undefined;
}

/**
 * Returns undefined for agents that are not remote, and for those that already reported: to the waiting call or as a
 * background job.
 */
function findUnfinished(
  id: AgentId,
  own: readonly StoredEnvelope[],
  all: readonly StoredEnvelope[],
): Unfinished | undefined {
  const spawned = findSpawned(own);
  if (!spawned?.remote) return undefined;
  let again: BackgroundId | undefined;
  let isSettled = false;
  for (const { event } of all) {
    if (event.type === "background.started" && event.agent === id) again = event.backgroundId;
    if (event.type === "background.ended" && event.backgroundId === again) return undefined;
    if (event.type === "tool.settled" && event.callId === spawned.callId) isSettled = true;
  }
  if (again === undefined && (isSettled || spawned.callId === undefined)) return undefined;
  return { spawned, again, prompt: promptOf(own) };
}

function promptOf(envelopes: readonly StoredEnvelope[]): string {
  const first = envelopes.map(({ event }) => event).find((event) => event.type === "prompt.admitted");
  return (first?.parts ?? []).map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
