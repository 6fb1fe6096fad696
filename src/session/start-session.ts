import { createGateRegistry } from "../model/index.ts";
import { createCleanup } from "../platform/index.ts";
import type { ModelClient, SessionId } from "../protocol/index.ts";
import type { SessionStore } from "../store/index.ts";
import type { AgentSlots } from "../team/index.ts";
import type { Tool } from "../tool/index.ts";
import type { ConfigFlags } from "./config/load-config.ts";
import { smallModelProblems } from "./config/small-model.ts";
import { openSession } from "./open-session.ts";
import { definitionOf, type MemberContext } from "./member-context.ts";
import type { Session } from "./session.ts";
import type { PermissionAsker } from "./session-context.ts";
import { type SessionHost, systemHost } from "./session-host.ts";
import { chooseRole } from "./start/choose-role.ts";
import { createModelFactory, overridesOf } from "./start/create-models.ts";
import { findSession, openSessionLog } from "./start/find-session.ts";
import { loadExtensions } from "./start/load-extensions.ts";
import { openBudget } from "./start/open-budget.ts";
import { openPorts, openRemoteWork } from "./start/open-ports.ts";
import { ownModel } from "./start/own-model.ts";
import type { ProcessShared } from "./teams/process-shared.ts";
import type { TeamPorts, TeamRole } from "./teams/team-role.ts";
import type { FolderTrust } from "./trust/withheld-settings.ts";

export interface StartOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags & {
    readonly thinkingTokens?: number | undefined;
    readonly record?: string | undefined;
    readonly forks?: boolean | undefined;
    /** The team to lead, created if it does not exist. */
    readonly team?: string | undefined;
    /**
     * The lead delegates all work. When omitted, a resumed session keeps its setting, and a new one uses the
     * environment.
     */
    readonly coordinator?: boolean | undefined;
  };
  /** A session id, or `latest` for the most recent session of this folder. */
  readonly resume?: string | undefined;
  /** Allows resuming a teammate's session alone, for work that is not part of its team. */
  readonly isBesideTeam?: boolean | undefined;
  readonly asker: PermissionAsker;
  /** `all` trusts `cwd` for this run. The default is the user's stored decision. */
  readonly trust?: FolderTrust | undefined;
  /** How long the first turn waits for MCP servers that are still starting. The default is 10 s. */
  readonly mcpWaitMs?: number | undefined;
  /** Replaces the model from the flags and settings. */
  readonly model?: ModelClient | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  readonly tools?: readonly Tool[] | undefined;
  /** The machine that the session runs on. The default is this one. */
  readonly host?: SessionHost | undefined;
  /** The agents whose transcripts `view()` holds. A frontend that folds the events itself does not need them twice. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  /** Lets other processes of the user follow and command the session, such as a dashboard. The default is true. */
  readonly isObservable?: boolean | undefined;
  /** Replaces the files under TROUPE_HOME. */
  readonly store?: SessionStore | undefined;
  /** The session with this id is resumed if it exists, otherwise created. */
  readonly sessionId?: SessionId | undefined;
  /** The teammate that this session runs. */
  readonly member?: MemberContext | undefined;
  /** Connects a teammate's session to its team. */
  readonly team?: ((ports: TeamPorts) => TeamRole) | undefined;
  readonly shared?: ProcessShared | undefined;
  /** Limits on the agents that a teammate may start, if they are shared with its team. */
  readonly spawnLimits?: AgentSlots | undefined;
}

/** Starts or resumes a session from the user's options. All problems are found before anything is written. */
export async function startSession(options: StartOptions): Promise<Session> {
  const host = options.host ?? systemHost();
  const cleanup = createCleanup();
  try {
    const found = await findSession(options, host);
    const { config } = found;
    if (found.opened) cleanup.add(found.opened.close);
    const process = options.shared ?? { gates: createGateRegistry(host.clock), models: new Map() };
    const models = await createModelFactory({ config, options, process, host, cleanup });
    const loaded = await loadExtensions({ config, options, host, cleanup });
    const definition = options.member && definitionOf(options.member, loaded.definitions);
    const own = await ownModel({ options, found, definition, models, process, host, cleanup });
    const log = await openSessionLog(found, options.sessionId ?? host.createId<SessionId>("ses"));
    if (!found.opened) cleanup.add(log.opened.close);
    const budget = await openBudget({ config, options, log, process, host, cleanup });
    const remote = openRemoteWork({ config, options, host, cleanup });
    const { role, extensions } = await chooseRole({
      config,
      options,
      log,
      extensions: loaded,
      budget,
      remote,
      host,
      definition,
    });
    cleanup.add(role.close);
    const ports = await openPorts({ config, options, log, remote, host, cleanup });
    const notices = [
      ...config.notices,
      ...smallModelProblems(own.ref, { ...config, overrides: overridesOf(config) }),
      ...extensions.notices,
    ];
    return await openSession(
      { config, log, models: { ...models, own }, extensions: { ...extensions, notices }, budget, role, ports },
      cleanup,
    );
  } catch (error) {
    await cleanup.close();
    throw error;
  }
}
