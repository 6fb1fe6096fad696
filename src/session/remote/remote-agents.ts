import { stillRunningRemotely } from "../../agent/index.ts";
import type {
  AgentDefinition,
  AgentId,
  BackgroundId,
  PromptId,
  StoredEnvelope,
  StoredEvent,
} from "../../protocol/index.ts";
import {
  type AgentSlot,
  requestFromLog,
  type Subagent,
  type SubagentDefaults,
  createSubagent,
  moveToBackground,
  type RuntimeRequest,
  remoteSubagentError,
  type RepositoryContext,
  subagentName,
} from "../../team/index.ts";
import type { AgentRuntime, SessionResources } from "../agent-runtime/agent-runtime.ts";
import type { RemoteAgent } from "./remote-agent.ts";
import { type OpenedRemoteRuntime, openRemoteRuntime, resumeRemoteRuntime } from "./remote-runtime.ts";

export interface RemoteAgentsPorts {
  /** The session's own agent. */
  readonly lead: () => AgentRuntime;
  readonly defaults: SubagentDefaults;
  placeAt(cwd: string): RepositoryContext;
  adopt(subagent: Subagent): void;
  acquireSlotNow(): AgentSlot;
}

/** The remote agents of a session, across resumes of the session. */
export interface RemoteAgents {
  runtime(request: RuntimeRequest): Promise<OpenedRemoteRuntime>;
  resume(lead: AgentRuntime, log: readonly StoredEnvelope[]): Promise<void>;
  isResumed(agent: AgentId): boolean;
  leave(): Promise<void>;
}

type Spawned = Extract<StoredEvent, { type: "agent.spawned" }>;

export function createRemoteAgents(shared: SessionResources, ports: RemoteAgentsPorts): RemoteAgents {
  const { log: stored, extensions, ports: session } = shared.session;
  const { remote: work, createId } = session;
  const { opened } = stored;
  const runtimes = new Map<AgentId, { readonly agent: RemoteAgent; readonly description: string }>();
  const resumed = new Set<AgentId>();

  const resume = async (id: AgentId, envelopes: readonly StoredEnvelope[], { lead, spawned, again }: Unfinished) => {
    if (!work || spawned.parent === undefined) return;
    let hear: RuntimeRequest["onEnvelope"] = () => undefined;
    const definition = definitionFor(spawned.agentType, extensions.definitions);
    const request: RuntimeRequest = {
      ...requestFromLog(id, { ...spawned, parent: spawned.parent }),
      definition,
      fork: false,
      cwd: spawned.cwd,
      env: {},
      onEnvelope: (envelope) => hear(envelope),
    };
    const { runtime, agent, finish } = await resumeRemoteRuntime(request, shared, {
      work,
      place: ports.placeAt(spawned.cwd),
    });
    const description = spawned.description ?? definition.name;
    const subagent = createSubagent({
      id,
      path: spawned.path,
      name: subagentName(id, spawned),
      definition,
      description,
      parent: spawned.parent,
      isFork: false,
      ...ports.defaults,
      runtime,
      reopen: () => Promise.reject(remoteSubagentError(spawned.path)),
      finishWorktree: finish,
      listen: (listener) => {
        hear = listener;
      },
    });
    runtimes.set(id, { agent, description });
    resumed.add(id);
    ports.adopt(subagent);
    const run = subagent.run([], ports.acquireSlotNow());
    const background = lead.background.tasks;
    const kept = await moveToBackground(
      { background },
      { subagent, run, description, prompt: promptOf(envelopes), again },
    );
    if (again !== undefined) return;
    const promptId = id.replace(/^agt_/, "prm_") as PromptId;
    const text = stillRunningRemotely({ description, ...kept });
    await lead.agent.admitOnce({ promptId, source: "background", parts: [{ type: "text", text }] });
  };

  return {
    async runtime(request) {
      if (!work) throw new Error("there is no bus to other machines");
      const made = await openRemoteRuntime(request, shared, { work, place: ports.placeAt(request.cwd) });
      runtimes.set(request.agentId, { agent: made.agent, description: request.path });
      return made;
    },
    async resume(lead, log) {
      if (!work) return;
      const logs = await stored.readAgents();
      const all = [log, ...logs.values()].flat();
      for (const [id, envelopes] of logs) {
        const unfinished = findUnfinished(id, envelopes, all);
        if (unfinished) await resume(id, envelopes, { lead, ...unfinished });
      }
    },
    isResumed: (agent) => resumed.has(agent),
    async leave() {
      if (!work?.outlives) return;
      for (const [id, { agent, description }] of runtimes) {
        if (!agent.running) continue;
        const lead = ports.lead();
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
  readonly lead: AgentRuntime;
  readonly spawned: Spawned;
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
): Omit<Unfinished, "lead"> | undefined {
  const spawned = own.map(({ event }) => event).find((event) => event.type === "agent.spawned");
  if (!spawned?.remote || spawned.parent === undefined) return undefined;
  let again: BackgroundId | undefined;
  let isSettled = false;
  for (const { event } of all) {
    if (event.type === "background.started" && event.agent === id) again = event.backgroundId;
    if (event.type === "background.ended" && event.backgroundId === again) return undefined;
    if (event.type === "tool.settled" && event.callId === spawned.callId) isSettled = true;
  }
  if (again !== undefined) return { spawned, again };
  return isSettled || spawned.callId === undefined ? undefined : { spawned };
}

function promptOf(envelopes: readonly StoredEnvelope[]): string {
  const first = envelopes.map(({ event }) => event).find((event) => event.type === "prompt.admitted");
  return (first?.parts ?? []).map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

/** Falls back to a type that exists: the job has the original prompt, so only a name is needed here. */
function definitionFor(type: string, definitions: readonly AgentDefinition[]): AgentDefinition {
  const found =
    definitions.find(({ name }) => name === type) ?? definitions.find(({ name }) => name === "general-purpose");
  if (!found) throw new Error("there are no agent definitions");
  return found;
}
