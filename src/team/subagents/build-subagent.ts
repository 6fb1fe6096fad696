import {
  type AgentDefinition,
  type AgentId,
  type CallId,
  type StoredEnvelope,
  type StoredEvent,
  TroupeError,
} from "../../protocol/index.ts";
import { createSubagent } from "./create-subagent.ts";
import type { Subagent, SubagentDefaults } from "./subagent.ts";
import { subagentName } from "./subagent-name.ts";
import type {
  Isolation,
  LoggedWorktree,
  RuntimeFactory,
  RuntimeRequest,
  RuntimeSource,
  SubagentRuntime,
} from "./subagent-runtime.ts";

/** A subagent to build. */
export interface SubagentSpec {
  readonly request: Omit<RuntimeRequest, "onEnvelope">;
  readonly name: string | undefined;
  readonly description: string;
  /** The call that asks for it. */
  readonly callId?: CallId | undefined;
  /** The turn of its parent that a new fork continues. */
  readonly forkedAt?: number | undefined;
}

export interface BuiltSubagent {
  readonly subagent: Subagent;
  readonly runtime: SubagentRuntime;
  readonly worktree: Isolation | undefined;
}

/** Builds a subagent: records the start of a new one, and settles what a previous run left open in another. */
export async function buildSubagent(
  { request, ...spec }: SubagentSpec,
  source: RuntimeSource,
  { factory, defaults }: { readonly factory: RuntimeFactory; readonly defaults: SubagentDefaults },
): Promise<BuiltSubagent> {
  const { path, definition, parent } = request;
  let onEnvelope: RuntimeRequest["onEnvelope"] = () => undefined;
  const opening: RuntimeRequest = { ...request, onEnvelope: (envelope) => onEnvelope(envelope) };
  const { runtime, worktree, finishWorktree } = await factory.open(opening, source);
  const logged = source.kind === "log" ? source.worktree : worktree && loggedWorktree(worktree);
  try {
    const subagent = createSubagent({
      identity: {
        id: request.agentId,
        path,
        name: spec.name,
        definition,
        description: spec.description,
        parent,
        isFork: request.fork,
      },
      defaults,
      opened: { runtime, finishWorktree },
      async reopen() {
        if (source.kind === "remote") throw remoteSubagentError(path);
        if (request.delegated) throw new Error(`cannot continue ${path}: it runs a single task`);
        // The signal of the first run may already have aborted.
        return factory.open({ ...opening, signal: undefined }, { kind: "log", worktree: logged });
      },
      listen: (listener) => {
        onEnvelope = listener;
      },
    });
    if (source.kind === "log") await runtime.resume();
    else if (source.kind === "new" || !source.isSubmitted)
      await runtime.begin(
        {
          path,
          agentType: request.fork ? "fork" : definition.name,
          parent,
          ...(spec.callId !== undefined && { callId: spec.callId }),
          description: spec.description,
          ...(logged && { worktree: logged }),
          ...(source.kind === "remote" && { remote: true }),
          model: request.model,
          permissionMode: request.mode,
          cwd: worktree?.path ?? request.cwd,
        },
        spec.forkedAt === undefined ? undefined : { from: parent, turn: spec.forkedAt },
      );
    return { subagent, runtime, worktree };
  } catch (error) {
    await worktree?.finish();
    throw error;
  }
}

const loggedWorktree = ({ path, branch, hookMade }: Isolation): LoggedWorktree => ({
  path,
  branch,
  ...(hookMade && { hookMade }),
});

export type SpawnedEvent = Extract<StoredEvent, { type: "agent.spawned" }>;

/** Undefined if no agent has started this one. */
export function findSpawned(
  envelopes: readonly StoredEnvelope[],
): (SpawnedEvent & { readonly parent: AgentId }) | undefined {
  const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
  return spawned?.parent === undefined ? undefined : { ...spawned, parent: spawned.parent };
}

/** The subagent that a log describes. Throws if its type no longer exists. */
export function specFromLog(
  agentId: AgentId,
  spawned: SpawnedEvent & { readonly parent: AgentId },
  definitions: readonly AgentDefinition[],
): SubagentSpec {
  const { parent, path, model, agentType, permissionMode: mode, cwd, remote } = spawned;
  const fork = agentType === "fork";
  const typeOf = (type: string) => definitions.find(({ name }) => name === type);
  // The job of a remote agent has its prompt, so only a name is needed here.
  const definition = typeOf(fork ? anyType : agentType) ?? (remote ? typeOf(anyType) : undefined);
  if (!definition)
    throw new TroupeError("agent", `Cannot resume ${path}: its agent type ${agentType} no longer exists.`);
  return {
    request: { agentId, parent, path, definition, fork, kind: "background", model, mode, cwd },
    name: subagentName(agentId, spawned),
    description: spawned.description ?? definition.name,
  };
}

const anyType = "general-purpose";

/** The agent's clone is gone with its job. */
export const remoteSubagentError = (path: string) =>
  new TroupeError(
    "agent",
    `Cannot resume ${path}: it ran on another machine. Start a new agent; its commits are on its branch.`,
  );
