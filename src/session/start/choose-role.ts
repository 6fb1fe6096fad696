import type { AgentDefinition } from "../../protocol/index.ts";
import { createSpawnResolver } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import { memberMode, resumedMode } from "../permissions/plan-mode.ts";
import type { RemoteWork } from "../remote/remote-work.ts";
import { createCoordinatorRole } from "../roles/coordinator-role.ts";
import { createLeadRole } from "../roles/lead-role.ts";
import type { Role } from "../roles/role.ts";
import { createSoloRole } from "../roles/solo-role.ts";
import { createTeammateRole } from "../roles/teammate-role.ts";
import type { Extensions, SessionLog } from "../session-context.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";
import { createCoordinator, isCoordinating } from "../teams/coordinator-mode.ts";
import { createTeamConnector } from "../roles/create-team-connector.ts";
import type { LoadedExtensions } from "./load-extensions.ts";
import type { OpenedBudget } from "./open-budget.ts";

export interface ChooseRoleOptions {
  readonly config: Config;
  readonly options: StartOptions;
  readonly log: SessionLog;
  readonly extensions: LoadedExtensions;
  readonly budget: OpenedBudget;
  readonly remote: RemoteWork | undefined;
  readonly host: SessionHost;
  /** The definition of the teammate that the session runs. */
  readonly definition: AgentDefinition | undefined;
}

/** Decides what the session is, and writes the prompts of its agents. */
export async function chooseRole(
  from: ChooseRoleOptions,
): Promise<{ readonly role: Role; readonly extensions: Extensions }> {
  const { config, options, log, definition } = from;
  const { member, flags } = options;
  const { replayed } = log.opened.leadLog;
  const permissionMode = resumedMode(replayed, {
    asked: member && log.isResumed ? memberMode(replayed, member.mode) : flags.permissionMode,
    configured: config.permissionMode,
  });
  const forks = flags.forks ?? false;
  if (member && definition) {
    const extensions = { ...from.extensions, prompts: from.extensions.promptsFor(undefined) };
    const { team: connect } = options;
    const role = await createTeammateRole({ member, definition, config, extensions, permissionMode, forks, connect });
    return { role, extensions };
  }
  const coordinates = isCoordinating({ flag: flags.coordinator, replayed, environment: config.coordinatorMode });
  const scratchpad = coordinates ? await log.opened.scratchpadFolder() : undefined;
  const extensions = { ...from.extensions, prompts: from.extensions.promptsFor(scratchpad) };
  const own = { config, extensions, permissionMode, asker: options.asker, forks };
  const connect = options.team ?? (options.store ? undefined : connectorFor(from, coordinates));
  const lead = connect ? createLeadRole(connect, own) : createSoloRole(own);
  if (scratchpad === undefined) return { role: lead, extensions };
  const coordinator = createCoordinator({
    scratchpad,
    definitions: extensions.definitions,
    simple: config.simpleWorkers,
  });
  return { role: createCoordinatorRole(lead, coordinator, extensions), extensions };
}

/** Leads teams in the session's team store. */
function connectorFor(from: ChooseRoleOptions, coordinates: boolean): Role["connect"] {
  const { config, options, log, extensions, budget, remote, host } = from;
  const { definitions, rules } = extensions;
  return createTeamConnector({
    host,
    files: budget.files,
    remote,
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
      modelOverride: config.subagentModel?.value,
      modeSetting: config.subagents.permissionMode,
      remote: remote !== undefined && config.claudeFolder === undefined,
    }),
  });
}
