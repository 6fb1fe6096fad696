import { createGateRegistry } from "../model/index.ts";
import { createCleanup } from "../platform/index.ts";
import type { ModelClient, SessionId, SessionOptions } from "../protocol/index.ts";
import type { SessionStore } from "../store/index.ts";
import type { Tool } from "../tool/index.ts";
import type { FunctionHooks } from "./hooks/function-hooks.ts";
import { smallModelProblems } from "./config/small-model.ts";
import { openSession } from "./open-session.ts";
import { definitionOf, type TeammateSession } from "./member-context.ts";
import type { Session } from "./session.ts";
import type { PermissionAsker } from "./session-context.ts";
import { type SessionHost, systemHost } from "./session-host.ts";
import { chooseRole } from "./start/choose-role.ts";
import { createModelFactory, overridesOf } from "./start/create-models.ts";
import { findSession, openSessionLog } from "./start/find-session.ts";
import { loadExtensions } from "./start/load-extensions.ts";
import { openBudget } from "./start/open-budget.ts";
import { openPorts } from "./start/open-ports.ts";
import { ownModel } from "./start/own-model.ts";
import type { ProcessShared } from "./teams/process-shared.ts";
import type { FolderTrust } from "./trust/withheld-settings.ts";

/** Which session is started. A new one by default. */
export interface SessionChoice {
  /** A session id, or `latest` for the most recent session of this folder. */
  readonly resume?: string | undefined;
  /** Allows resuming a teammate's session alone, for work that is not part of its team. */
  readonly isBesideTeam?: boolean | undefined;
  /** The session with this id is resumed if it exists, otherwise created. */
  readonly sessionId?: SessionId | undefined;
}

export interface StartOptions extends SessionChoice {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: SessionOptions;
  readonly asker: PermissionAsker;
  /** `all` trusts `cwd` for this run. The default is the user's stored decision. */
  readonly trust?: FolderTrust | undefined;
  /** Replaces the model from the flags and settings. */
  readonly model?: ModelClient | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  readonly tools?: readonly Tool[] | undefined;
  /** Hooks in code, for this session and its teammates in this process. */
  readonly hooks?: FunctionHooks | undefined;
  /** Replaces the first block of the lead's prompt. */
  readonly systemPrompt?: string | undefined;
  /** The machine that the session runs on. The default is this one. */
  readonly host?: SessionHost | undefined;
  /** The agents whose transcripts `view()` holds. A frontend that folds the events itself does not need them twice. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  /** Lets other processes of the user follow and command the session, such as a dashboard. The default is true. */
  readonly isObservable?: boolean | undefined;
  /** Replaces the files under TROUPE_HOME. */
  readonly store?: SessionStore | undefined;
  /** The teammate that this session runs. */
  readonly teammate?: TeammateSession | undefined;
  readonly shared?: ProcessShared | undefined;
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
    const models = await createModelFactory({ config, options, process, host, cleanup, resumed: found.opened });
    const loaded = await loadExtensions({ config, options, host, cleanup });
    const definition = options.teammate && definitionOf(options.teammate.member, loaded.definitions);
    const own = await ownModel({ options, found, definition, models, process, host, cleanup });
    const log = await openSessionLog(found, options.sessionId ?? host.createId<SessionId>("ses"));
    if (!found.opened) cleanup.add(log.opened.close);
    const budget = await openBudget({ config, options, log, process, host, cleanup });
    const { role, extensions, remote } = await chooseRole({
      config,
      options,
      log,
      extensions: loaded,
      budget,
      host,
      cleanup,
      definition,
    });
    cleanup.add(role.close);
    const ports = await openPorts({ config, options, log, role, remote, host, cleanup });
    const notices = [
      ...config.notices,
      ...smallModelProblems(own.ref, { ...config, overrides: overridesOf(config) }),
      ...extensions.notices,
      ...role.notices,
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
