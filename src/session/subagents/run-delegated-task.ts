import { resolveAgentModel } from "../../agent/definitions/index.ts";
import type { AgentReport } from "../../agent/index.ts";
import { type AgentId, type AgentPath, leadPath, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import {
  type AgentSlot,
  buildSubagent,
  findSpawned,
  type RuntimeFactory,
  specFromLog,
  type Subagent,
  type SubagentDefaults,
  type SpawnModels,
  type SubagentSpec,
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
  readonly models: SpawnModels;
  readonly defaults: SubagentDefaults;
  readonly leadId: AgentId;
  readonly newId: () => AgentId;
  readonly slot: (signal: AbortSignal) => Promise<AgentSlot>;
  readonly factory: RuntimeFactory;
}

/** Rejects if the agent or the type does not exist. A failure of the agent itself is in the report. */
export async function runDelegatedTask(work: DelegatedWork, ports: DelegatePorts): Promise<AgentReport> {
  const { signal = new AbortController().signal, description, mode, cwd, who } = work;
  const { request } = "agent" in who ? await findKnownAgent(who.agent, ports) : createNewAgent(who.type, ports);
  const { onIdle: _, onWake: __, ...defaults } = ports.defaults;
  const slot = await ports.slot(signal);
  let subagent: Subagent;
  try {
    ({ subagent } = await buildSubagent(
      {
        request: { ...request, kind: "foreground", mode, cwd, delegated: true, signal },
        name: undefined,
        description,
      },
      { kind: "agent" in who ? "log" : "new" },
      { factory: ports.factory, defaults },
    ));
  } catch (error) {
    slot.release();
    throw error;
  }
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

type Identity = Pick<SubagentSpec["request"], "agentId" | "parent" | "path" | "definition" | "fork" | "model">;

async function findKnownAgent(agentId: AgentId, { extensions, factory }: DelegatePorts) {
  const spawned = findSpawned((await factory.readLogs()).get(agentId) ?? []);
  if (!spawned) throw new TroupeError("agent", `This session has no agent ${agentId}.`);
  return specFromLog(agentId, spawned, extensions.definitions);
}

function createNewAgent(
  type: string,
  { extensions, own, models, leadId, newId }: DelegatePorts,
): { request: Identity } {
  const definition = extensions.definitions.find(({ name }) => name === type);
  if (!definition) {
    const names = extensions.definitions.map(({ name }) => name).join(", ");
    throw new TroupeError("agent", `Unknown agent type ${JSON.stringify(type)}. Known types: ${names}.`);
  }
  const parentModel = own.runtime.model().ref;
  const model = resolveAgentModel({
    override: models.override,
    call: undefined,
    definition: definition.model,
    parent: parentModel,
    overrides: { aliases: models.aliases },
  });
  if (!model.ok) throw new TroupeError("agent", model.message);
  const agentId = newId();
  const path = `${leadPath}/${type}-${agentId.slice(-6)}` as AgentPath;
  return { request: { agentId, parent: leadId, path, definition, fork: false, model: model.ref } };
}
