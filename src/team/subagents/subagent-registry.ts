import { agentListing, isReadOnlyType } from "../../agent/definitions/index.ts";
import { type AgentReport, forkInstructions, type WorktreeFacts } from "../../agent/index.ts";
import type { CreateId } from "../../platform/index.ts";
import {
  type AgentDefinition,
  type AgentId,
  type AgentPath,
  type CallId,
  type Envelope,
  type PermissionMode,
  TroupeError,
} from "../../protocol/index.ts";
import type { RuleSet } from "../../tool/index.ts";
import type { Subagent, SubagentDefaults } from "./subagent.ts";
import { createSubagentNames } from "./subagent-names.ts";
import { createSubagent } from "./create-subagent.ts";
import type {
  SubagentRuntime,
  ReopenedRuntime,
  OpenSubagentRuntime,
  RuntimeRequest,
  Spawned,
} from "./subagent-runtime.ts";
import { createSpawnResolver, type ResolvedSpawn } from "./resolve-spawn.ts";
import type { AgentSlot, AgentSlots } from "../limits/agent-slots.ts";

/** The subagents of a session: starts them, finds them by id and name, and resumes them. */
export interface SubagentRegistry {
  /**
   * The agent types, for the description of the Agent tool. The helpers are the types that help the user with Troupe
   * itself.
   */
  listing(options: { readonly withHelpers?: boolean | undefined }): string;
  /** True if subagents can run on other machines. */
  readonly remote: boolean;
  /** Opens a new agent and acquires a slot for it. Rejects with a TroupeError whose message is for the model. */
  start(parent: ParentAgent, request: SubagentRequest): Promise<StartedSubagent>;
  /** Finds a subagent by name, id or path, including those of previous runs of the session. */
  find(nameOrId: string): Promise<Subagent | undefined>;
  /** Adds a running subagent that a previous run of the session started. */
  adopt(subagent: Subagent): void;
  /**
   * Lends the agent's slot while it waits for a subagent. The result reclaims the slot. Does nothing for a lead, which
   * has no slot.
   */
  lendSlotOf(parent: AgentId): Promise<(signal: AbortSignal) => Promise<void>>;
  /** Acquires a slot to resume an idle agent. */
  acquireSlot(subagent: Subagent, signal: AbortSignal): Promise<AgentSlot>;
  names(): readonly string[];
  all(): readonly Subagent[];
  close(): Promise<void>;
}

/** The agent that starts a subagent, as it is now. */
export interface ParentAgent {
  readonly id: AgentId;
  readonly path: AgentPath;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly cwd: string;
  /** The folders it may work in. */
  readonly roots: readonly string[];
  readonly isFork: boolean;
  readonly turn: number;
}

export interface SubagentRequest {
  /** The call that asks for it. */
  readonly callId?: CallId | undefined;
  readonly description: string;
  readonly prompt: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  readonly name?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  readonly isolation?: "worktree" | "remote" | undefined;
  readonly cwd?: string | undefined;
  readonly background?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly onQueued?: ((ahead: number) => void) | undefined;
}

export interface StartedSubagent {
  readonly subagent: Subagent;
  readonly slot: AgentSlot;
  /** Its first prompt. */
  readonly prompt: string;
  readonly background: boolean;
  readonly notices: readonly string[];
}

export interface SubagentRegistryOptions {
  readonly definitions: readonly AgentDefinition[];
  readonly rules: RuleSet;
  readonly runtime: OpenSubagentRuntime;
  /** Opens a subagent again that was evicted while idle. */
  readonly reopen: (request: RuntimeRequest, worktree: Spawned["worktree"]) => Promise<ReopenedRuntime>;
  /** Opens a subagent that is known only from its log. Undefined if there is none. */
  readonly resume: (nameOrId: string) => Promise<Subagent | undefined>;
  readonly limits: AgentSlots;
  readonly defaults: SubagentDefaults;
  readonly createId: CreateId;
  readonly forks: boolean;
  /** The parent is a coordinator, so all its subagents run in the background. */
  readonly coordinator?: boolean | undefined;
  /** Names of agents of previous runs of the session. */
  readonly earlierNames?: readonly string[] | undefined;
  /** The model for all subagents, from the environment. */
  readonly modelOverride?: string | undefined;
  readonly modeSetting?: PermissionMode | "inherit" | undefined;
  /** Makes a worktree for an agent. Rejects if there is no repository. */
  readonly isolate: (agent: IsolatedAgent, signal: AbortSignal) => Promise<Isolation>;
  /** Opens a subagent that runs on a worker and imports its commits as a branch. Undefined if there are no workers. */
  readonly openRemoteRuntime?:
    | ((
        request: RuntimeRequest,
      ) => Promise<{ readonly runtime: SubagentRuntime; finish(): Promise<AgentReport["worktree"]> }>)
    | undefined;
}

/** The agent that a worktree is for. Its name or type is the label. */
export interface IsolatedAgent {
  readonly agentId: AgentId;
  readonly label: string;
  readonly cwd: string;
}

/** A worktree made for an agent. */
export interface Isolation {
  readonly path: string;
  /** Empty if it is on no branch. */
  readonly branch: string;
  /** A hook made it, so Troupe does not remove it. */
  readonly hookMade?: true | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** For its agent. */
  readonly facts: WorktreeFacts;
  readonly notices: readonly string[];
  finish(): Promise<AgentReport["worktree"]>;
}

export function createSubagentRegistry(options: SubagentRegistryOptions): SubagentRegistry {
  const resolver = createSpawnResolver({ ...options, remote: options.openRemoteRuntime !== undefined });
  const subagents = new Map<AgentId, Subagent>();
  const names = createSubagentNames(new Set(options.earlierNames), async (name) => {
    try {
      return (await find(name)) !== undefined;
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return false;
    }
  });

  const start = async (parent: ParentAgent, request: SubagentRequest): Promise<StartedSubagent> => {
    const resolved = resolver.resolve(parent, request);
    if (resolved.definition.backend !== undefined) throw teammateOnlyError(resolved.definition.name);
    await names.reserve(request.name);
    try {
      const depth = parent.path.split("/").length - 1;
      const admitted = await options.limits.acquire({
        parentDepth: depth,
        signal: request.signal,
        ...(request.onQueued && { onQueued: request.onQueued }),
      });
      if (!admitted.ok) throw new TroupeError("agent", admitted.message);
      try {
        return await openSubagent({ ...resolved, parent, request, slot: admitted.slot });
      } catch (error) {
        admitted.slot.release();
        throw error;
      }
    } finally {
      names.release(request.name);
    }
  };

  interface ResolvedRequest extends ResolvedSpawn {
    readonly parent: ParentAgent;
    readonly request: SubagentRequest;
    readonly slot: AgentSlot;
  }

  const openSubagent = async ({
    parent,
    request,
    fork,
    definition,
    model,
    mode,
    isolated,
    remote,
    slot,
    ...placement
  }: ResolvedRequest): Promise<StartedSubagent> => {
    const id = options.createId<AgentId>("agt");
    const background = options.coordinator || (request.background ?? definition.background ?? false);
    const isolatedAgent = { agentId: id, label: request.name ?? definition.name, cwd: placement.cwd };
    const worktree = isolated ? await options.isolate(isolatedAgent, request.signal) : undefined;
    const cwd = worktree?.path ?? placement.cwd;
    const path = `${parent.path}/${request.name ?? `${fork ? "fork" : definition.name}-${id.slice(-6)}`}` as AgentPath;
    let observe: (envelope: Envelope) => void = () => undefined;
    const runtimeRequest: RuntimeRequest = {
      agentId: id,
      parent: parent.id,
      path,
      definition,
      kind: background ? "background" : "foreground",
      fork,
      model,
      mode,
      cwd,
      env: worktree?.env ?? {},
      worktree: worktree?.facts,
      signal: request.signal,
      onEnvelope: (envelope) => observe(envelope),
    };
    try {
      const remoteRuntime = remote ? await options.openRemoteRuntime?.(runtimeRequest) : undefined;
      const runtime = remoteRuntime?.runtime ?? (await options.runtime(runtimeRequest));
      const subagent = createSubagent({
        id,
        path,
        name: request.name,
        definition,
        description: request.description,
        parent: parent.id,
        isFork: fork,
        ...options.defaults,
        runtime,
        reopen: () =>
          remote ? Promise.reject(remoteSubagentError(path)) : options.reopen(runtimeRequest, spawned.worktree),
        finishWorktree: worktree?.finish ?? remoteRuntime?.finish,
        listen: (listener) => {
          observe = listener;
        },
      });
      const spawned = {
        path,
        agentType: fork ? "fork" : definition.name,
        parent: parent.id,
        ...(request.callId !== undefined && { callId: request.callId }),
        description: request.description,
        ...(worktree && {
          worktree: { path: worktree.path, branch: worktree.branch, ...(worktree.hookMade && { hookMade: true }) },
        }),
        ...(remote && { remote }),
        model,
        permissionMode: runtimeRequest.mode,
        cwd,
      };
      await runtime.begin(spawned, fork ? { from: parent.id, turn: parent.turn } : undefined);
      subagents.set(id, subagent);
      names.set(request.name, id);
      const prompt = fork
        ? forkInstructions({
            prompt: request.prompt,
            worktree: worktree && { path: worktree.path, parentCwd: parent.cwd },
          })
        : [definition.initialPrompt, request.prompt].filter((each) => each !== undefined).join("\n\n");
      return { subagent, slot, prompt, background, notices: startNotices(placement, runtime, worktree) };
    } catch (error) {
      await worktree?.finish();
      throw error;
    }
  };

  const lendOwnSlot = () => {
    const reclaim = options.limits.lendOwnSlot();
    return async () => reclaim();
  };

  const adopt = (subagent: Subagent) => {
    subagents.set(subagent.id, subagent);
    names.set(subagent.name, subagent.id);
  };

  const find = async (nameOrId: string): Promise<Subagent | undefined> => {
    const known =
      subagents.get(names.idOf(nameOrId) ?? (nameOrId as AgentId)) ??
      [...subagents.values()].find(({ path }) => path === nameOrId);
    if (known) return known;
    const resumed = await options.resume(nameOrId);
    if (resumed) adopt(resumed);
    return resumed;
  };

  return {
    listing: (shown) => listingOf(resolver.types, shown),
    remote: options.openRemoteRuntime !== undefined,
    start,
    find,
    adopt,
    lendSlotOf: async (parent) => subagents.get(parent)?.lendSlot() ?? lendOwnSlot(),
    async acquireSlot(subagent, signal) {
      const depth = subagent.path.split("/").length - 2;
      const admitted = await options.limits.acquire({ parentDepth: depth, signal, isReturning: true });
      if (!admitted.ok) throw new TroupeError("agent", admitted.message);
      return admitted.slot;
    },
    names: names.all,
    all: () => [...subagents.values()],
    async close() {
      await Promise.all([...subagents.values()].map((subagent) => subagent.close()));
    },
  };
}

const startNotices = (
  { modeNote }: Pick<ResolvedSpawn, "modeNote">,
  runtime: Pick<SubagentRuntime, "notices">,
  worktree: Pick<Isolation, "notices"> | undefined,
) => [...(modeNote === undefined ? [] : [modeNote]), ...runtime.notices, ...(worktree?.notices ?? [])];

const listingOf = (types: readonly AgentDefinition[], { withHelpers = false }: { withHelpers?: boolean | undefined }) =>
  agentListing(
    types.map((type) => ({ ...type, onlyReads: isReadOnlyType(type) })),
    { denied: withHelpers ? [] : helpers },
  );

/** Built-in types for questions about Troupe itself, which only a user asks. */
const helpers = ["guide", "statusline-setup"];

/** The agent's clone is gone with its job. */
export const remoteSubagentError = (path: string) =>
  new TroupeError(
    "agent",
    `Cannot resume ${path}: it ran on another machine. Start a new agent; its commits are on its branch.`,
  );

const teammateOnlyError = (type: string) =>
  new TroupeError(
    "agent",
    `Cannot start ${type} as a subagent: another program runs it, so it can only be a teammate. Start it with a name, in a team.`,
  );
