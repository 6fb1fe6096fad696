import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, projectName, safeName } from "../platform/index.ts";
import { type AgentId, type SessionId, type StoredEnvelope, TroupeError } from "../protocol/index.ts";
import { createMemoryLog, type EventLog } from "./event-log.ts";
import { logNotFound, sessionNotFound } from "./session-not-found.ts";
import { realFolder } from "./real-folder.ts";
import type { OpenedSession, SessionStore, SessionStoreOptions, SessionSummary } from "./session-store.ts";
import { isTeammateSession, summarizeEnvelopes } from "./summarize-session.ts";
import { writeToFreeName } from "./write-to-free-name.ts";

/** Sessions that end with the process. Only outputs need a folder: a temporary one, until the session closes. */
export function createMemorySessionStore(options: SessionStoreOptions): SessionStore {
  const sessions = new Map<string, KeptSession>();

  const find = (id: string): KeptSession => {
    const kept = sessions.get(id);
    if (kept === undefined || kept.lead.length === 0) throw sessionNotFound(id, list());
    return kept;
  };

  const list = (): SessionSummary[] =>
    [...sessions.values()]
      .filter(({ lead }) => lead.length > 0)
      .map((kept) => summarize(kept))
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.sessionId.localeCompare(a.sessionId));

  return {
    create: async ({ sessionId, cwd }) => {
      if (sessions.has(sessionId)) throw new TroupeError("storage", `Session ${sessionId} already exists. Resume it.`);
      const kept: KeptSession = {
        sessionId,
        cwd,
        leadAgent: options.createId("agt"),
        lead: [],
        agents: new Map(),
        isOpen: false,
      };
      sessions.set(sessionId, kept);
      return openKept(kept, options);
    },
    has: async (id) => (sessions.get(id)?.lead.length ?? 0) > 0,
    open: async (id) => openKept(find(id), options),
    list: async () => list(),
    latest: async (cwd) => list().find((summary) => summary.cwd === cwd && !isTeammateSession(summary)),
    read: async (id) => ({ lead: [...find(id).lead], agents: new Map(find(id).agents) }),
    readAgents: async (id) => new Map(find(id).agents),
    readLog: async (id, { agent, only }) => {
      const { lead, leadAgent, agents } = find(id);
      const log = agent === undefined || agent === leadAgent ? lead : agents.get(agent);
      if (!log) throw logNotFound(id, agent ?? "");
      return log.filter(({ event }) => only(event.type));
    },
    taskListFile: async (id) => {
      throw new TroupeError("storage", `Session ${find(id).sessionId} is in memory only: its tasks are not in a file.`);
    },
    repair: async (id) => [{ path: "", kept: find(id).lead.length, problems: [] }],
  };
}

interface KeptSession {
  readonly sessionId: SessionId;
  readonly cwd: string;
  readonly leadAgent: AgentId;
  readonly lead: StoredEnvelope[];
  readonly agents: Map<AgentId, StoredEnvelope[]>;
  isOpen: boolean;
}

function summarize(kept: KeptSession): SessionSummary {
  const { sessionId, cwd, lead } = kept;
  const unknown = { sessionId, cwd, project: projectName(cwd), file: "", startedAt: "", updatedAt: "" };
  return { ...unknown, ...summarizeEnvelopes(lead) };
}

function openKept(kept: KeptSession, options: SessionStoreOptions): OpenedSession {
  const { sessionId, cwd } = kept;
  if (kept.isOpen)
    throw new TroupeError("session_busy", `Session ${sessionId} is in use by this process. Close it first.`);
  kept.isOpen = true;
  const agentLogs = new Map<AgentId, EventLog>();
  let folder: string | undefined;
  const outputs = () => {
    folder ??= realpathSync(mkdtempSync(join(tmpdir(), "troupe-")));
    return folder;
  };

  const openLog = (agent: AgentId, into: StoredEnvelope[]): EventLog => {
    const log = createMemoryLog({ ...options, session: sessionId, agent, kept: into });
    const close = () => {
      agentLogs.delete(agent);
      return log.close();
    };
    return { ...log, close };
  };

  const leadLog = openLog(kept.leadAgent, kept.lead);
  return {
    sessionId,
    cwd,
    leadLog,
    notices: [],
    agentLog: async (agentId) => {
      const events = kept.agents.get(agentId) ?? [];
      kept.agents.set(agentId, events);
      const log = agentLogs.get(agentId) ?? openLog(agentId, events);
      agentLogs.set(agentId, log);
      return log;
    },
    saveOutput: async (name, data) => writeToFreeName(join(outputs(), safeName(name)), { data }),
    get taskListFile() {
      return join(outputs(), "tasks.jsonl");
    },
    taskOutputFile: (id) => join(outputs(), `${safeName(id)}.output`),
    ownFolders: () => (folder === undefined ? [] : [folder]),
    scratchFolder: async () => outputs(),
    scratchpadFolder: async () => realFolder(await makeFolder(join(outputs(), "scratchpad"))),
    close: async () => {
      await Promise.all([leadLog, ...agentLogs.values()].map((log) => log.close()));
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      kept.isOpen = false;
    },
  };
}
