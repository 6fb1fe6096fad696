import { agentListing, isReadOnlyType } from "../../agent/definitions/index.ts";
import type { CreateId } from "../../platform/index.ts";
import {
  type AgentDefinition,
  type AgentId,
  type AgentPath,
  type CallId,
  type PermissionMode,
  TroupeError,
} from "../../protocol/index.ts";
import type { RuleSet } from "../../tool/index.ts";
import type { Subagent, SubagentDefaults } from "./subagent.ts";
import { createSubagentNames } from "./subagent-names.ts";
import { openSubagent } from "./open-subagent.ts";
import { buildSubagent, findSpawned, remoteSubagentError, specFromLog, type SubagentSpec } from "./build-subagent.ts";
import type { LoggedWorktree, RuntimeFactory, RuntimeSource } from "./subagent-runtime.ts";
import { createSpawnResolver, helperTypes, type SpawnResolverOptions } from "./resolve-spawn.ts";
import { type AgentSlot, type AgentSlots, requireSlot } from "../limits/agent-slots.ts";

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
  /** Builds and adds a subagent that a previous run of the session started. */
  restore(spec: SubagentSpec, source: RuntimeSource): Promise<Subagent>;
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

export interface SubagentRegistryOptions extends Omit<SpawnResolverOptions, "rules" | "remote"> {
  readonly rules: RuleSet;
  readonly factory: RuntimeFactory;
  readonly limits: AgentSlots;
  readonly defaults: SubagentDefaults;
  readonly createId: CreateId;
  /** Names of agents of previous runs of the session. */
  readonly earlierNames?: readonly string[] | undefined;
}

export function createSubagentRegistry(options: SubagentRegistryOptions): SubagentRegistry {
  const resolver = createSpawnResolver({ ...options, remote: options.factory.hasWorkers });
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
      const slot = await requireSlot(options.limits, {
        parentDepth: parent.path.split("/").length - 1,
        signal: request.signal,
        ...(request.onQueued && { onQueued: request.onQueued }),
      });
      try {
        const started = await openSubagent({ ...resolved, parent, request, slot }, options);
        adopt(started.subagent);
        return started;
      } catch (error) {
        slot.release();
        throw error;
      }
    } finally {
      names.release(request.name);
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
    const logged = await findLogged(nameOrId, options);
    return logged && restore(logged.spec, { kind: "log", worktree: logged.worktree });
  };

  const restore = async (spec: SubagentSpec, source: RuntimeSource): Promise<Subagent> => {
    const { subagent } = await buildSubagent(spec, source, options);
    adopt(subagent);
    return subagent;
  };

  return {
    listing: (shown) => listingOf(resolver.types, shown),
    remote: options.factory.hasWorkers,
    start,
    find,
    restore,
    lendSlotOf: async (parent) => subagents.get(parent)?.lendSlot() ?? lendOwnSlot(),
    acquireSlot: ({ path }, signal) =>
      requireSlot(options.limits, { parentDepth: path.split("/").length - 2, signal, isReturning: true }),
    names: names.all,
    all: () => [...subagents.values()],
    async close() {
      await Promise.all([...subagents.values()].map((subagent) => subagent.close()));
    },
  };
}

/** Finds a subagent that is known only from its log, by its id, path or name. */
async function findLogged(
  who: string,
  { factory, definitions }: SubagentRegistryOptions,
): Promise<{ readonly spec: SubagentSpec; readonly worktree: LoggedWorktree | undefined } | undefined> {
  // The newest first: a name may have been taken over from an agent that could not continue.
  for (const [id, envelopes] of [...(await factory.readLogs())].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
    const spawned = findSpawned(envelopes);
    if (!spawned || ![id, spawned.path, spawned.path.split("/").at(-1)].includes(who)) continue;
    if (spawned.remote) throw remoteSubagentError(spawned.path);
    return { spec: specFromLog(id, spawned, definitions), worktree: spawned.worktree };
  }
  return undefined;
}

const listingOf = (types: readonly AgentDefinition[], { withHelpers = false }: { withHelpers?: boolean | undefined }) =>
  agentListing(
    types.map((type) => ({ ...type, onlyReads: isReadOnlyType(type) })),
    { denied: withHelpers ? [] : helperTypes },
  );

const teammateOnlyError = (type: string) =>
  new TroupeError(
    "agent",
    `Cannot start ${type} as a subagent: another program runs it, so it can only be a teammate. Start it with a name, in a team.`,
  );
