import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Claim, claim, makeFolder, safeName, storageError } from "../platform/index.ts";
import { type AgentId, type SessionId, type StoredEnvelope, TroupeError } from "../protocol/index.ts";
import { type EventLog, openEventLog } from "./event-log.ts";
import { realFolder } from "./real-folder.ts";
import { agentLogFile, type SessionFiles } from "./session-files.ts";
import type { OpenedSession, SessionStoreOptions } from "./session-store.ts";
import { writeToFreeName } from "./write-to-free-name.ts";

interface SessionToOpen extends SessionStoreOptions {
  readonly files: SessionFiles;
  readonly sessionId: SessionId;
}

/** Claims and creates nothing before the first write. */
export async function initializeSessionFiles(
  session: SessionToOpen & { readonly cwd: string },
): Promise<OpenedSession> {
  const { files, sessionId, cwd } = session;
  const ownership = createOwnership(session, () => {
    if (!hasBegun(files.log)) return;
    throw new TroupeError("storage", `Session ${sessionId} already exists in ${files.log}. Resume it instead.`);
  });
  const agent = session.createId<AgentId>("agt");
  const leadLog = await openEventLog({
    ...session,
    session: sessionId,
    path: files.log,
    agent,
    prepare: () => ownership.claim(),
  });
  return toOpenedSession(session, { cwd, leadLog, ownership });
}

export async function resumeSessionFiles(session: SessionToOpen): Promise<OpenedSession> {
  const { files, sessionId } = session;
  const ownership = createOwnership(session, () => undefined);
  await ownership.claim();
  try {
    const agent = session.createId<AgentId>("agt");
    const leadLog = await openEventLog({ ...session, session: sessionId, path: files.log, agent });
    return toOpenedSession(session, { cwd: cwdOf(leadLog.replayed, files.log), leadLog, ownership });
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

interface Ownership {
  claim(): Promise<void>;
  release(): Promise<void>;
}

export function createOwnership(session: SessionToOpen, check: () => void): Ownership {
  let taken: Promise<Claim> | undefined;
  const takeOnce = async () => {
    await makeFolder(session.files.folder);
    const held = await claim(session.files.owner, { ...session, what: `Session ${session.sessionId}` });
    try {
      check();
      return held;
    } catch (error) {
      await held.release();
      throw error;
    }
  };
  return {
    claim: async () => {
      taken ??= takeOnce();
      try {
        await taken;
      } catch (error) {
        taken = undefined;
        throw error;
      }
    },
    release: async () => (await taken)?.release(),
  };
}

function toOpenedSession(
  session: SessionToOpen,
  { cwd, leadLog, ownership }: { cwd: string; leadLog: EventLog; ownership: Ownership },
): OpenedSession {
  const { files, sessionId } = session;
  const notices = [...leadLog.notices];
  const agentLogs = new Map<AgentId, Promise<EventLog>>();

  const openAgentLog = async (agentId: AgentId): Promise<EventLog> => {
    const path = agentLogFile(files, agentId);
    const prepare = async () => {
      await ownership.claim();
      await makeFolder(files.subagents);
    };
    const log = await openEventLog({ ...session, session: sessionId, path, agent: agentId, prepare });
    if (log.agent !== agentId) {
      throw new TroupeError("session_damaged", `${path} contains the events of ${log.agent}, not of ${agentId}.`);
    }
    notices.push(...log.notices);
    const close = async () => {
      agentLogs.delete(agentId);
      await log.close();
    };
    return { ...log, close };
  };

  const folderFor = async (path: string) => {
    await ownership.claim();
    return makeFolder(path);
  };

  const close = async () => {
    const logs = await Promise.allSettled(agentLogs.values());
    const open = [leadLog, ...logs.flatMap((log) => (log.status === "fulfilled" ? [log.value] : []))];
    const ends = await Promise.allSettled(open.map((log) => log.close()));
    await ownership.release();
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };

  return {
    sessionId,
    cwd,
    leadLog,
    notices,
    agentLog: (agentId) => {
      const known = agentLogs.get(agentId);
      if (known !== undefined) return known;
      const opening = openAgentLog(agentId);
      agentLogs.set(agentId, opening);
      opening.catch(() => agentLogs.delete(agentId));
      return opening;
    },
    saveOutput: async (name, data) => {
      const [, stem = name, extension = ""] = /^(.*?)(\.[a-z0-9]{1,8})?$/s.exec(name) ?? [];
      return writeToFreeName(join(await folderFor(files.results), safeName(stem)), { data, extension });
    },
    taskListFile: files.taskList,
    taskOutputFile: (id) => {
      try {
        mkdirSync(files.tasks, { recursive: true, mode: 0o700 });
      } catch (error) {
        throw storageError("create the folder", files.tasks, error);
      }
      return join(files.tasks, `${safeName(id)}.output`);
    },
    ownFolders: () => (existsSync(files.folder) ? [realpathSync(files.folder)] : []),
    checkpointFolder: () => folderFor(files.checkpoints),
    scratchFolder: () => folderFor(files.scratch),
    scratchpadFolder: async () => realFolder(await folderFor(files.scratchpad)),
    close,
  };
}

/** False for the empty log of a process that was killed before its first write: the session can still start. */
export function hasBegun(log: string): boolean {
  try {
    return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch (error) {
    throw storageError("read", log, error);
  }
}

/** Returns the folder in which the session was last opened. */
function cwdOf(envelopes: readonly StoredEnvelope[], path: string): string {
  const opened = envelopes.map(({ event }) => event).findLast((event) => event.type === "session.opened");
  const cwd = opened?.cwd ?? envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned")?.cwd;
  if (cwd !== undefined) return cwd;
  const what = envelopes.length === 0 ? "contains no events" : "does not name its working folder";
  throw new TroupeError("session_damaged", `${path} ${what}: start a new session.`);
}
