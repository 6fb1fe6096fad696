import type { AgentDefinition } from "../../protocol/index.ts";
import { createSpawnResolver } from "../../team/index.ts";
import { memberMode, resumedMode } from "../permissions/plan-mode.ts";
import type { RemoteWork } from "../../remote/index.ts";
import { createCoordinatorRole } from "../roles/coordinator-role.ts";
import { createLeadRole } from "../roles/lead-role.ts";
import type { Role } from "../roles/role.ts";
import { createSoloRole } from "../roles/solo-role.ts";
import { createTeammateRole } from "../roles/teammate-role.ts";
import type { Extensions, SessionLog } from "../session-context.ts";
import { createCoordinator, isCoordinating } from "../teams/coordinator-mode.ts";
import { createTeamConnector } from "../roles/create-team-connector.ts";
import type { LoadedExtensions } from "./load-extensions.ts";
import type { OpenedBudget } from "./open-budget.ts";
import { isAttended, openRemoteWork } from "./open-ports.ts";
import type { StartContext } from "./start-context.ts";

export interface ChooseRoleOptions extends StartContext {
  readonly log: SessionLog;
  readonly extensions: LoadedExtensions;
  readonly budget: OpenedBudget;
  /** The definition of the teammate that the session runs. */
  readonly definition: AgentDefinition | undefined;
}

export interface ChosenRole {
  readonly role: Role;
  readonly extensions: Extensions;
  /** Undefined without a bus to other machines, and for a teammate. */
  readonly remote: RemoteWork | undefined;
}

/** Decides what the session is, and writes the prompts of its agents. */
export async function chooseRole(from: ChooseRoleOptions): Promise<ChosenRole> {
  const { config, options, log, definition } = from;
  const { teammate, flags } = options;
  const { replayed } = log.opened.leadLog;
  const permissionMode = resumedMode(replayed, {
    asked: teammate && log.isResumed ? memberMode(replayed, teammate.member.mode) : flags.permissionMode,
    configured: config.permissionMode,
  });
  const forks = flags.forks ?? false;
  if (teammate && definition) {
    // The user of its lead answers a teammate.
    const asks = isAttended(options) ? teammate.member.prompt.team && "lead" : "none";
    const { scratchpad } = teammate.member;
    const extensions = { ...from.extensions, prompts: from.extensions.promptsFor({ asks, scratchpad }) };
    const role = await createTeammateRole({ ...teammate, definition, config, extensions, permissionMode, forks });
    return { role, extensions, remote: undefined };
  }
  const remote = openRemoteWork(from);
  const coordinates = isCoordinating({ flag: flags.coordinator, replayed, environment: config.coordinatorMode });
  const scratchpad = coordinates ? await log.opened.scratchpadFolder() : undefined;
  const extensions = {
    ...from.extensions,
    prompts: from.extensions.promptsFor({ asks: isAttended(options) ? "user" : "none", scratchpad }),
  };
  const own = { config, extensions, permissionMode, asker: options.asker, forks };
  const connect = options.store ? undefined : connectorFor(from, { remote, coordinates });
  const lead = connect ? createLeadRole(connect, own) : createSoloRole(own);
  if (scratchpad === undefined) return { role: lead, extensions, remote };
  const coordinator = createCoordinator({
    scratchpad,
    definitions: extensions.definitions,
    simple: config.simpleWorkers,
  });
  return { role: createCoordinatorRole(lead, coordinator, extensions), extensions, remote };
}

/** Leads teams in the session's team store. */
function connectorFor(
  from: ChooseRoleOptions,
  { remote, coordinates }: { readonly remote: RemoteWork | undefined; readonly coordinates: boolean },
): Role["connect"] {
  const { config, options, log, extensions, budget, host } = from;
  const { definitions, rules } = extensions;
  return createTeamConnector({
    host,
    files: budget.files,
    remote,
    coordinates,
    deny: rules.deny.map(({ text }) => text),
    options,
    config,
    shared: budget.shared,
    opened: log.opened,
    resolver: createSpawnResolver({
      definitions,
      rules,
      forks: false,
      coordinator: coordinates,
      models: { override: config.subagentModel?.value, aliases: config.aliases },
      modeSetting: config.subagents.permissionMode,
      remote: remote !== undefined && config.claudeFolder === undefined,
    }),
  });
}
