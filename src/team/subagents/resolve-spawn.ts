import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { deniedAgents, effectiveMode, resolveAgentModel } from "../../agent/definitions/index.ts";
import { isInside, nearestName } from "../../platform/index.ts";
import { type AgentDefinition, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import { protectedReason, type RuleSet } from "../../tool/index.ts";
import type { ParentAgent, SubagentRequest } from "./subagent-registry.ts";

/** What a call for an agent comes to, once it is known who makes it: the same for sub-agents and teammates. */
export interface ResolvedSpawn {
  readonly fork: boolean;
  readonly definition: AgentDefinition;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly cwd: string;
  readonly isolated: boolean;
  /** On another machine. */
  readonly remote: boolean;
}

export interface SpawnResolverOptions {
  readonly definitions: readonly AgentDefinition[];
  readonly rules: Pick<RuleSet, "deny">;
  readonly forks: boolean;
  /** Agents are started by a coordinator: there are workers, who are meant where no type is said, and no forks. */
  readonly coordinator?: boolean | undefined;
  /** What the environment says for all sub-agents' models. */
  readonly modelOverride?: string | undefined;
  readonly modeSetting?: PermissionMode | "inherit" | undefined;
  /** There is a bus, and with it other machines. */
  readonly remote?: boolean | undefined;
}

export interface SpawnResolver {
  /** The types that may be started. */
  readonly types: readonly AgentDefinition[];
  /** Throws a TroupeError whose message is for the model that asked. */
  resolve(parent: ParentAgent, request: SpawnOptions): ResolvedSpawn;
}

export type SpawnOptions = Pick<SubagentRequest, "type" | "model" | "mode" | "isolation" | "cwd">;

const generalPurpose = "general-purpose";
/** Whoever is started by a coordinator without a type. Troupe's own definition of it is for coordinators alone. */
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
    const found = types.find(({ name }) => name === type);
    if (found) return found;
    const near = nearestName(type, names);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    const message = `There is no agent type ${JSON.stringify(type)}.${hint} There are: ${names.join(", ")}.`;
    throw new TroupeError("agent", message);
  };

  return {
    types,
    resolve(parent, request) {
      const fork = request.type === undefined && forks;
      if (fork && parent.isFork)
        throw new TroupeError("agent", "A fork cannot be forked: do the work yourself, or name a subagent_type.");
      const definition = findDefinition(request.type ?? (coordinator ? workerType : generalPurpose));
      if (definition.backend === "acp" && definition.command === undefined)
        throw new TroupeError(
          "agent",
          `${definition.name} is run by a program that its folder names, and the folder is not trusted: the user can say so with 'troupe trust'.`,
        );
      const model = fork
        ? { ok: true as const, ref: parent.model }
        : definition.backend === "acp"
          ? { ok: true as const, ref: `acp/${definition.name}` }
          : resolveAgentModel({
              override: options.modelOverride,
              call: request.model,
              definition: definition.model,
              parent: parent.model,
            });
      if (!model.ok) throw new TroupeError("agent", model.message);
      const isolation =
        request.isolation ?? definition.isolation ?? (definition.backend === "remote" ? "remote" : undefined);
      const remote = isolation === "remote";
      if (remote && !options.remote)
        throw new TroupeError(
          "agent",
          "isolation: remote needs a bus to other machines, on which teams are kept as well, and there is none here: the user can give one with --bus nats://host:4222. Until then use worktree, or leave it out.",
        );
      if (remote && fork)
        throw new TroupeError("agent", "A fork works where you do: name a subagent_type to have it elsewhere.");
      const cwd = validateCwd(request.cwd, { isolation, roots: parent.roots }) ?? parent.cwd;
      const { mode } = effectiveMode({
        parent: parent.mode,
        definition: fork ? undefined : definition.permissionMode,
        setting: options.modeSetting,
        call: request.mode,
      });
      const isolated = isolation === "worktree";
      return { fork, definition, model: model.ref, mode: fork ? "bubble" : mode, cwd, isolated, remote };
    },
  };
}

/** An absolute folder that is there; never together with a worktree, which is a folder of its own. */
function validateCwd(
  cwd: string | undefined,
  { isolation, roots }: { isolation: string | undefined; roots: readonly string[] },
): string | undefined {
  if (cwd === undefined) return undefined;
  if (isolation !== undefined)
    throw new TroupeError(
      "agent",
      "cwd and isolation cannot be asked for together: a worktree is a folder of its own.",
    );
  if (!isAbsolute(cwd)) throw new TroupeError("agent", `cwd must be an absolute path; ${JSON.stringify(cwd)} is not.`);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new TroupeError("agent", `cwd ${JSON.stringify(cwd)} is not a folder that is there.`);
  const real = realpathSync(cwd);
  if (!roots.some((root) => isInside(real, root)))
    throw new TroupeError(
      "agent",
      `cwd ${JSON.stringify(cwd)} lies outside the folders you may work in: ${roots.join(", ")}.`,
    );
  const protection = protectedReason(join(real, "any"), { roots });
  if (protection !== undefined)
    throw new TroupeError("agent", `cwd ${JSON.stringify(cwd)} cannot be worked in: ${protection}.`);
  return real;
}
