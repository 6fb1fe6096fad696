import { join } from "node:path";
import { openStateRoot, projectName } from "../../platform/index.ts";
import { type SessionId, teamLead } from "../../protocol/index.ts";
import { createFileSessionStore, type OpenedSession, type SessionStore, type TeamSummary } from "../../store/index.ts";
import { isTranscriptEvent } from "../../view/index.ts";
import type { Config } from "../config/load-config.ts";
import { findSessionToResume, openIfExists, requireFolder } from "../find-session-to-resume.ts";
import { mergeLogs } from "../merge-logs.ts";
import type { SessionLog } from "../session-context.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";
import { refuseTeammateSession } from "../teams/refuse-teammate-session.ts";

/** The configuration of a session, and the session itself if it exists already. */
export interface FoundSession {
  readonly config: Config;
  readonly store: SessionStore;
  readonly isInMemory: boolean;
  readonly opened: OpenedSession | undefined;
}

/** Finds the session to resume. Its folder decides the configuration. Writes nothing. */
export async function findSession(options: StartOptions, host: SessionHost): Promise<FoundSession> {
  const { clock, createId } = host;
  const config = await host.loadConfig(options);
  const inMemory = options.store ?? host.memory?.sessions;
  const store = inMemory ?? createFileSessionStore({ home: config.home, clock, createId });
  const found = { config, store, isInMemory: inMemory !== undefined };
  if (options.resume === undefined) {
    const { sessionId } = options;
    return { ...found, opened: sessionId === undefined ? undefined : await openIfExists(store, sessionId) };
  }
  const memberSessions = async () => teammateSessions(await host.openTeamStore({ ...config, clock, createId }).list());
  const opened = await store.open(await findSessionToResume(options.resume, { store, config, memberSessions }));
  try {
    return { ...found, config: await configOfResumed(opened, config, { options, host }), opened };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

const teammateSessions = (teams: readonly TeamSummary[]): ReadonlySet<string> =>
  new Set(
    teams.flatMap(
      ({ team }) => team?.members.flatMap(({ name, sessionId = [] }) => (name === teamLead ? [] : sessionId)) ?? [],
    ),
  );

async function configOfResumed(
  opened: OpenedSession,
  config: Config,
  { options, host }: { readonly options: StartOptions; readonly host: SessionHost },
): Promise<Config> {
  const { clock, createId } = host;
  // Trust in this folder does not apply to another folder.
  const own =
    opened.cwd === config.cwd
      ? config
      : await host.loadConfig({ ...options, cwd: requireFolder(opened.cwd), trust: undefined });
  const teams = host.openTeamStore({ ...own, clock, createId });
  if (!options.isBesideTeam) await refuseTeammateSession(opened.sessionId, opened.leadLog.replayed, teams);
  return own;
}

/** Creates the session if it is new. */
export async function openSessionLog(
  { config, store, isInMemory, opened: found }: FoundSession,
  sessionId: SessionId,
): Promise<SessionLog> {
  if (!found && !isInMemory) await openStateRoot(config.home);
  const opened = found ?? (await store.create({ sessionId, cwd: config.cwd }));
  const { sessionId: id } = opened;
  const isResumed = opened.leadLog.replayed.length > 0;
  return {
    opened,
    isResumed,
    isInMemory,
    earlierAgents: isResumed ? [...(await store.readAgents(id)).values()].flat() : [],
    transcriptPath: isInMemory ? "" : join(config.home, "projects", projectName(config.cwd), `${id}.jsonl`),
    readAll: async () => mergeLogs(await store.read(id)),
    readLead: async () => (await store.read(id)).lead,
    readAgents: async () => (await store.read(id)).agents,
    readTranscript: (session, agent) => store.readLog(session, { agent, only: isTranscriptEvent }),
  };
}
