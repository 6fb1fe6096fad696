import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { deniedAgents, effectiveMode, resolveAgentModel } from "../../agent/definitions/index.ts";
import { isInside, nearestName } from "../../platform/index.ts";
import { type AgentDefinition, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import { protectedReason, type RuleSet } from "../../tool/index.ts";
import type { ParentAgent, SubagentRequest } from "./subagent-registry.ts";

/** The resolved options of a spawn call, for subagents and teammates. */
export interface ResolvedSpawn {
  readonly fork: boolean;
  readonly definition: AgentDefinition;
  readonly model: string;
  readonly mode: PermissionMode;
  /** A note if the call asked for a wider mode. */
  readonly modeNote?: string | undefined;
  readonly cwd: string;
  readonly isolated: boolean;
  /** Runs on another machine. */
  readonly remote: boolean;
}

export interface SpawnModels {
  /** The model for all subagents, from the environment. */
  readonly override?: string | undefined;
  /** The user's own names of models. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
}

export interface SpawnResolverOptions {
  readonly definitions: readonly AgentDefinition[];
  readonly rules: Pick<RuleSet, "deny">;
  readonly forks: boolean;
  /**
   * The caller is a coordinator: the default type is `worker`, there are no forks, and all its subagents run in the
   * background.
   */
  readonly coordinator?: boolean | undefined;
  readonly models?: SpawnModels | undefined;
  readonly modeSetting?: PermissionMode | "inherit" | undefined;
  /** A bus to other machines is configured. */
  readonly remote?: boolean | undefined;
}

export interface SpawnResolver {
  /** The types that may be started. */
  readonly types: readonly AgentDefinition[];
  /** The mode of an agent of this type that was not asked for another one. */
  modeOf(type: string | undefined, parent: PermissionMode): PermissionMode;
  /** Throws a TroupeError whose message is for the calling model. */
  resolve(parent: ParentAgent, request: SpawnOptions): ResolvedSpawn;
}

export type SpawnOptions = Pick<SubagentRequest, "type" | "model" | "mode" | "isolation" | "cwd">;

const generalPurpose = "general-purpose";

/** The same for `general-purpose`, `General Purpose` and `general_purpose`. */
const letters = (type: string) => type.toLowerCase().replace(/[-_ ]/g, "");

/** Built-in types for questions about Troupe itself, which only a user asks. */
export const helperTypes: readonly string[] = ["guide", "statusline-setup"];

/**
 * The type for agents that a coordinator starts without a type. Troupe's own definition of it is for coordinators only.
 */
export const workerType = "worker";

export function createSpawnResolver(options: SpawnResolverOptions): SpawnResolver {
  const denied = deniedAgents(
    options.definitions.map(({ name }) => name),
    options.rules.deny,
  );
  const { coordinator = false } = options;
  const forks = options.forks && !coordinator;
  const isOffered = ({ name, source }: AgentDefinition) =>
    coordinator || name !== workerType || source.level !== "built-in";
  const types = options.definitions.filter((each) => !denied.includes(each.name) && isOffered(each));

  const findDefinition = (type: string): AgentDefinition => {
    const names = types.map(({ name }) => name);
    const alike = types.filter(({ name }) => letters(name) === letters(type));
    const found = types.find(({ name }) => name === type) ?? (alike.length === 1 ? alike[0] : undefined);
    if (found) return found;
    const near = nearestName(type, names);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    const offered = names.filter((name) => !helperTypes.includes(name));
    const none = forks || coordinator ? "" : ` Leave subagent_type out for ${generalPurpose}.`;
    const message = `Unknown agent type ${JSON.stringify(type)}.${hint} Available types: ${offered.join(", ")}.${none}`;
    throw new TroupeError("agent", message);
  };

  return {
    types,
    modeOf: (type, parent) =>
      effectiveMode({
        parent,
        definition: types.find(({ name }) => name === type)?.permissionMode,
        setting: options.modeSetting,
      }).mode,
    resolve(parent, request) {
      const fork = request.type === undefined && forks;
      if (fork && parent.isFork)
        throw new TroupeError("agent", "A fork cannot start a fork. Do the work yourself, or name a subagent_type.");
      const definition = findDefinition(request.type ?? (coordinator ? workerType : generalPurpose));
      if (definition.backend === "acp" && definition.command === undefined)
        throw new TroupeError(
          "agent",
          `Cannot start ${definition.name}: its program is defined in a folder that is not trusted. The user can trust it with 'troupe trust'.`,
        );
      const model = fork
        ? { ok: true as const, ref: parent.model }
        : definition.backend === "acp"
          ? { ok: true as const, ref: `acp/${definition.name}` }
          : resolveAgentModel({
              override: options.models?.override,
              call: request.model,
              definition: definition.model,
              parent: parent.model,
              overrides: { aliases: options.models?.aliases },
            });
      if (!model.ok) throw new TroupeError("agent", model.message);
      const isolation =
        request.isolation ?? definition.isolation ?? (definition.backend === "remote" ? "remote" : undefined);
      const remote = isolation === "remote";
      if (remote && !options.remote)
        throw new TroupeError(
          "agent",
          "isolation: remote needs a bus, and none is configured. The user can set one with --bus nats://host:4222. Use isolation: worktree, or leave it out.",
        );
      if (remote && fork)
        throw new TroupeError(
          "agent",
          "A fork runs where you run. Name a subagent_type to start an agent on another machine.",
        );
      const cwd = validateCwd(request.cwd, { isolation, roots: parent.roots }) ?? parent.cwd;
      const { mode, refused } = effectiveMode({
        parent: parent.mode,
        definition: fork ? undefined : definition.permissionMode,
        setting: options.modeSetting,
        call: request.mode,
      });
      const isolated = isolation === "worktree";
      const isWider = refused !== undefined && refused === request.mode;
      const modeNote = isWider
        ? `It works in ${mode}, not in ${refused}: it cannot have more rights than you.`
        : undefined;
      return { fork, definition, model: model.ref, mode: fork ? "bubble" : mode, modeNote, cwd, isolated, remote };
    },
  };
}

/**
 * Returns the real path of an existing, absolute folder. Refused together with an isolation, which has its own folder.
 */
function validateCwd(
  cwd: string | undefined,
  { isolation, roots }: { isolation: string | undefined; roots: readonly string[] },
): string | undefined {
  if (cwd === undefined) return undefined;
  if (isolation !== undefined)
    throw new TroupeError("agent", "Set either cwd or isolation, not both: an isolated agent gets its own folder.");
  if (!isAbsolute(cwd)) throw new TroupeError("agent", `cwd must be an absolute path; ${JSON.stringify(cwd)} is not.`);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new TroupeError("agent", `cwd ${JSON.stringify(cwd)} is not an existing folder.`);
  const real = realpathSync(cwd);
  if (!roots.some((root) => isInside(real, root)))
    throw new TroupeError(
      "agent",
      `cwd ${JSON.stringify(cwd)} is outside the folders you may work in: ${roots.join(", ")}.`,
    );
  const protection = protectedReason(join(real, "any"), { roots });
  if (protection !== undefined)
    throw new TroupeError("agent", `cwd ${JSON.stringify(cwd)} cannot be used: ${protection}.`);
  return real;
}
