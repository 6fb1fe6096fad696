import { resolveAgentModel } from "../../agent/definitions/index.ts";
import type { AgentReport } from "../../agent/index.ts";
import {
  type AgentId,
  type AgentPath,
  leadPath,
  type PermissionMode,
  type StoredEnvelope,
  TroupeError,
} from "../../protocol/index.ts";
import {
  type AgentSlot,
  type SubagentDefaults,
  type SubagentRuntime,
  createSubagent,
  type RuntimeRequest,
} from "../../team/index.ts";
import type { Extensions } from "../session-context.ts";
import type { OwnAgent } from "./subagents.ts";

/**
 * One task that the user, or the user's program, gives to an agent in a folder, independent of the session's other
 * work.
 */
export interface DelegatedWork {
  /** An agent of this session that continues, or the type of a new agent. */
  readonly who: { readonly agent: AgentId } | { readonly type: string };
  readonly description: string;
  readonly prompt: string;
  /** The working directory, and the only folder that the agent may change. */
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly signal?: AbortSignal | undefined;
}

export interface DelegatePorts {
  readonly extensions: Pick<Extensions, "definitions">;
  readonly own: Pick<OwnAgent, "runtime">;
  readonly modelOverride: string | undefined;
  readonly defaults: SubagentDefaults;
  readonly leadId: AgentId;
  readonly newId: () => AgentId;
  readonly slot: (signal: AbortSignal) => Promise<AgentSlot>;
  runtime(
    request: RuntimeRequest,
    logs: ReadonlyMap<AgentId, readonly StoredEnvelope[]> | undefined,
  ): Promise<SubagentRuntime>;
  logs(): Promise<ReadonlyMap<AgentId, readonly StoredEnvelope[]>>;
}

/** Rejects if the agent or the type does not exist. A failure of the agent itself is in the report. */
export async function runDelegatedTask(work: DelegatedWork, ports: DelegatePorts): Promise<AgentReport> {
  const { signal = new AbortController().signal } = work;
  let onEnvelope: RuntimeRequest["onEnvelope"] = () => undefined;
  const known = "agent" in work.who ? await findKnownAgent(work.who.agent, ports) : undefined;
  const identity = known ?? createNewAgent("type" in work.who ? work.who.type : "", ports);
  const request: RuntimeRequest = {
    ...identity.request,
    kind: "foreground",
    mode: work.mode,
    cwd: work.cwd,
    env: {},
    delegated: true,
    signal,
    onEnvelope: (envelope) => onEnvelope(envelope),
  };
  const slot = await ports.slot(signal);
  let runtime: SubagentRuntime;
  try {
    runtime = await ports.runtime(request, known?.logs);
    const { path, parent, model, mode: permissionMode, cwd, definition } = request;
    const spawned = { path, parent, model, permissionMode, cwd, description: work.description };
    if (known) await runtime.resume();
    else await runtime.begin({ ...spawned, agentType: definition.name });
  } catch (error) {
    slot.release();
    throw error;
  }
  const { onIdle: _, onWake: __, ...defaults } = ports.defaults;
  const subagent = createSubagent({
    ...defaults,
    id: request.agentId,
    path: request.path,
    name: undefined,
    definition: request.definition,
    description: work.description,
    parent: request.parent,
    isFork: request.fork,
    runtime,
    reopen: () => Promise.reject(new Error(`cannot continue ${request.path}: it runs a single task`)),
    listen: (listener) => {
      onEnvelope = listener;
    },
  });
  const stop = () => void subagent.interrupt("it was stopped");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const run = subagent.run([{ type: "text", text: work.prompt }], slot, "user");
    if (signal.aborted) stop();
    const report = await run.done;
    return report;
  } finally {
    signal.removeEventListener("abort", stop);
    await subagent.close();
  }
}

type Identity = Pick<RuntimeRequest, "agentId" | "parent" | "path" | "definition" | "fork" | "model">;

async function findKnownAgent(agentId: AgentId, { extensions, logs: readLogs }: DelegatePorts) {
  const logs = await readLogs();
  const events = (logs.get(agentId) ?? []).map(({ event }) => event);
  const spawned = events.find((event) => event.type === "agent.spawned");
  if (!spawned?.parent) throw new TroupeError("agent", `This session has no agent ${agentId}.`);
  const fork = spawned.agentType === "fork";
  const { parent, path, model, agentType } = spawned;
  const definition = extensions.definitions.find(({ name }) => name === (fork ? "general-purpose" : agentType));
  if (!definition)
    throw new TroupeError("agent", `Cannot resume ${path}: its agent type ${agentType} no longer exists.`);
  const request: Identity = { agentId, parent, path, definition, fork, model };
  return { request, logs };
}

function createNewAgent(
  type: string,
  { extensions, own, modelOverride, leadId, newId }: DelegatePorts,
): { request: Identity } {
  const definition = extensions.definitions.find(({ name }) => name === type);
  if (!definition) {
    const names = extensions.definitions.map(({ name }) => name).join(", ");
    throw new TroupeError("agent", `Unknown agent type ${JSON.stringify(type)}. Known types: ${names}.`);
  }
  const parentModel = own.runtime().model().ref;
  const model = resolveAgentModel({
    override: modelOverride,
    call: undefined,
    definition: definition.model,
    parent: parentModel,
  });
  if (!model.ok) throw new TroupeError("agent", model.message);
  const agentId = newId();
  const path = `${leadPath}/${type}-${agentId.slice(-6)}` as AgentPath;
  return { request: { agentId, parent: leadId, path, definition, fork: false, model: model.ref } };
}
