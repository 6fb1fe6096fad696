import { readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { ifPresent, missingOrFile, projectName, storageError } from "../platform/index.ts";
import { AgentId, SessionId } from "../protocol/index.ts";
import { logNotFound, sessionNotFound } from "./session-not-found.ts";
import { createOwnership, hasBegun, resumeSessionFiles, initializeSessionFiles } from "./open-session-files.ts";
import { readEventLog } from "./read-event-log.ts";
import { readEventsOfTypes } from "./read-events-of-types.ts";
import { repairLog } from "./repair-log.ts";
import { agentLogFile, projectsFolder, type SessionFiles, sessionFiles } from "./session-files.ts";
import type { SessionReading, SessionStore, SessionStoreOptions, SessionSummary } from "./session-store.ts";
import { isEmptySession, sessionToContinue, summarizeSession } from "./summarize-session.ts";

/** `home` is the checked state folder. Folders below it are created when needed. */
export function createFileSessionStore(options: SessionStoreOptions & { readonly home: string }): SessionStore {
  const { home } = options;

  const find = async (id: string): Promise<{ sessionId: SessionId; files: SessionFiles }> => {
    const sessionId = SessionId.safeParse(id);
    const files = sessionId.success ? await filesOf(sessionId.data) : undefined;
    if (!sessionId.success || files === undefined) throw sessionNotFound(id, await list());
    return { sessionId: sessionId.data, files };
  };

  const filesOf = async (sessionId: SessionId): Promise<SessionFiles | undefined> =>
    (await namesIn(projectsFolder(home)))
      .map((project) => sessionFiles(home, project, sessionId))
      .find(({ log }) => hasBegun(log));

  const list = async (): Promise<SessionSummary[]> => {
    const projects = await namesIn(projectsFolder(home));
    return newestFirst((await Promise.all(projects.map(listProject))).flat());
  };

  const listProject = async (project: string): Promise<SessionSummary[]> => {
    const names = await namesIn(join(projectsFolder(home), project));
    return names.flatMap((name) => {
      const sessionId = SessionId.safeParse(name.replace(/\.jsonl$/, ""));
      if (!name.endsWith(".jsonl") || !sessionId.success) return [];
      const file = join(projectsFolder(home), project, name);
      return [summarizeSession({ sessionId: sessionId.data, project, file })];
    });
  };

  const read = async (id: string): Promise<SessionReading> => {
    const { sessionId, files } = await find(id);
    const agents = await readAgents(id);
    return { lead: readEventLog(files.log, { session: sessionId }).envelopes, agents };
  };

  const readAgents = async (id: string): Promise<SessionReading["agents"]> => {
    const { sessionId, files } = await find(id);
    const agents: SessionReading["agents"] = new Map();
    for (const agentId of await agentsOf(files)) {
      agents.set(agentId, readEventLog(agentLogFile(files, agentId), { session: sessionId }).envelopes);
    }
    return agents;
  };

  const readLog: SessionStore["readLog"] = async (id, { agent, only }) => {
    const { sessionId: session, files } = await find(id);
    const own = agent && agentLogFile(files, agent);
    if (own !== undefined && hasBegun(own)) return readEventsOfTypes(own, { session, only });
    const lead = readEventsOfTypes(files.log, { session, only });
    if (agent !== undefined && lead[0]?.agent !== agent) throw logNotFound(id, agent);
    return lead;
  };

  const repair = async (id: string) => {
    const found = await find(id);
    const ownership = createOwnership({ ...options, ...found }, () => undefined);
    await ownership.claim();
    try {
      const agents = await agentsOf(found.files);
      const reports = [await repairLog(found.files.log, options)];
      for (const agentId of agents) reports.push(await repairLog(agentLogFile(found.files, agentId), options));
      return reports;
    } finally {
      await ownership.release();
    }
  };

  const removeIfEmpty = async (sessionId: SessionId) => {
    const files = await filesOf(sessionId);
    if (files === undefined) return false;
    const ownership = createOwnership({ ...options, sessionId, files }, () => undefined);
    await ownership.claim();
    try {
      const isEmpty = isEmptySession(summarizeSession({ sessionId, project: files.project, file: files.log }));
      if (!isEmpty || (await agentsOf(files)).length > 0) return false;
      await rm(files.log);
    } finally {
      await ownership.release();
    }
    // The claim is in this folder. Without the log the session is not found any more.
    await rm(files.folder, { recursive: true, force: true });
    return true;
  };

  return {
    create: async ({ sessionId, cwd }) => {
      const files = sessionFiles(home, projectName(await realPathOf(cwd)), sessionId);
      return initializeSessionFiles({ ...options, files, sessionId, cwd });
    },
    has: async (id) => (await filesOf(id)) !== undefined,
    open: async (id) => resumeSessionFiles({ ...options, ...(await find(id)) }),
    list,
    latest: async (cwd, except) =>
      sessionToContinue(
        newestFirst(await listProject(projectName(await realPathOf(cwd)))).filter(
          ({ sessionId }) => !except?.has(sessionId),
        ),
      ),
    read,
    readAgents,
    readLog,
    taskListFile: async (id) => (await find(id)).files.taskList,
    removeIfEmpty,
    checkpointFolder: async (id) => (await find(id)).files.checkpoints,
    repair,
  };
}

async function realPathOf(cwd: string): Promise<string> {
  try {
    return await realpath(cwd);
  } catch (error) {
    throw storageError("work in", cwd, error);
  }
}

/** A missing folder counts as empty. An unreadable folder is an error. */
async function namesIn(folder: string): Promise<string[]> {
  return (
    (await ifPresent(() => readdir(folder), { action: "read the folder", path: folder, missing: missingOrFile })) ?? []
  ).sort();
}

async function agentsOf(files: SessionFiles): Promise<AgentId[]> {
  return (await namesIn(files.subagents)).flatMap((name) => {
    const agentId = AgentId.safeParse(name.replace(/\.jsonl$/, ""));
    return name.endsWith(".jsonl") && agentId.success ? [agentId.data] : [];
  });
}

const newestFirst = (sessions: SessionSummary[]): SessionSummary[] =>
  sessions.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.sessionId.localeCompare(a.sessionId));
