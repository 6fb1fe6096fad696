import { join } from "node:path";
import { makeFolder, projectName, safeName } from "../../platform/index.ts";
import { type AgentId, type SessionId, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import { createMemoryLog, type EventLog, type Validators } from "../event-log.ts";
import { logNotFound, sessionNotFound } from "../session-not-found.ts";
import type { OpenedSession, SessionStore, SessionStoreOptions, SessionSummary } from "../session-store.ts";
import { isEmptySession, sessionToContinue, summarizeEnvelopes } from "../summarize-session.ts";
import { createMemoryClaims, type MemoryClaims } from "./memory-claims.ts";
import { type MemoryIo, ownMemoryIo } from "./memory-io.ts";
import { openTemporaryOutputs, type SessionOutputs } from "./memory-outputs.ts";

/** Sessions that end with the process. Only outputs need a folder: a temporary one, until the session closes. */
export const createMemorySessionStore = (options: SessionStoreOptions): SessionStore =>
  createSessionStore({
    ...options,
    sessions: new Map(),
    claims: createMemoryClaims(options.clock),
    io: ownMemoryIo,
    openOutputs: openTemporaryOutputs,
  });

/** All sessions of a world, by id. One without an event in the lead's log does not exist yet. */
export type MemorySessions = Map<string, KeptSession>;

export interface MemorySessionOptions extends SessionStoreOptions {
  readonly sessions: MemorySessions;
  readonly claims: MemoryClaims;
  readonly io: MemoryIo;
  readonly openOutputs: (session: SessionId) => SessionOutputs;
  readonly validators?: Validators | undefined;
}

/** The sessions of a world, as one process uses them. */
export function createSessionStore(options: MemorySessionOptions): SessionStore {
  const { sessions, io } = options;

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

  const create = ({ sessionId, cwd }: Pick<KeptSession, "sessionId" | "cwd">): OpenedSession => {
    if ((sessions.get(sessionId)?.lead.length ?? 0) > 0)
      throw new TroupeError("storage", `Session ${sessionId} already exists. Resume it.`);
    const kept: KeptSession = {
      sessionId,
      cwd,
      leadAgent: options.createId("agt"),
      lead: [],
      agents: new Map(),
    };
    const opened = openKept(kept, options);
    sessions.set(sessionId, kept);
    return opened;
  };

  return {
    create: (session) => io.turn(() => create(session)),
    has: (id) => io.turn(() => (sessions.get(id)?.lead.length ?? 0) > 0),
    open: (id) => io.turn(() => openKept(find(id), options)),
    list: () => io.turn(list),
    latest: (cwd) => io.turn(() => sessionToContinue(list().filter((summary) => summary.cwd === cwd))),
    read: (id) => io.turn(() => ({ lead: [...find(id).lead], agents: copyOf(find(id).agents) })),
    readAgents: (id) => io.turn(() => copyOf(find(id).agents)),
    readLog: (id, { agent, only }) =>
      io.turn(() => {
        const { lead, leadAgent, agents } = find(id);
        const log = agent === undefined || agent === leadAgent ? lead : agents.get(agent);
        if (!log) throw logNotFound(id, agent ?? "");
        return log.filter(({ event }) => only(event.type));
      }),
    taskListFile: async (id) => {
      throw new TroupeError("storage", `Session ${find(id).sessionId} is in memory only: its tasks are not in a file.`);
    },
    removeIfEmpty: (id) =>
      io.turn(() => {
        const kept = sessions.get(id);
        return kept !== undefined && isEmptySession(summarize(kept)) && kept.agents.size === 0 && sessions.delete(id);
      }),
    checkpointFolder: async (id) => {
      throw new TroupeError("storage", `Session ${find(id).sessionId} is in memory only: it has no checkpoints.`);
    },
    repair: (id) => io.turn(() => [{ path: "", kept: find(id).lead.length, problems: [] }]),
  };
}

interface KeptSession {
  readonly sessionId: SessionId;
  readonly cwd: string;
  readonly leadAgent: AgentId;
  readonly lead: StoredEnvelope[];
  readonly agents: Map<AgentId, StoredEnvelope[]>;
}

/** A reading stays as it is when the session continues. A log without events does not exist yet. */
const copyOf = (agents: KeptSession["agents"]): Map<AgentId, StoredEnvelope[]> =>
  new Map([...agents].flatMap(([agent, log]) => (log.length > 0 ? [[agent, [...log]] as const] : [])));

function summarize(kept: KeptSession): SessionSummary {
  const { sessionId, cwd, lead } = kept;
  const unknown = { sessionId, cwd, project: projectName(cwd), file: "", startedAt: "", updatedAt: "" };
  return { ...unknown, ...summarizeEnvelopes(lead) };
}

function openKept(kept: KeptSession, options: MemorySessionOptions): OpenedSession {
  const { sessionId, cwd } = kept;
  const { io, claims } = options;
  const release = claims.claim(sessionId, { io, what: `Session ${sessionId}` });
  const agentLogs = new Map<AgentId, EventLog>();
  const outputs = options.openOutputs(sessionId);

  const openLog = (agent: AgentId, into: StoredEnvelope[]): EventLog => {
    const append = (added: readonly StoredEnvelope[]) =>
      io.turn((store) => store(`${agent}.jsonl`, added, (envelope) => into.push(envelope)));
    const log = createMemoryLog({ ...options, session: sessionId, agent, kept: into, append });
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
    agentLog: (agentId) =>
      io.turn(() => {
        const events = kept.agents.get(agentId) ?? [];
        kept.agents.set(agentId, events);
        const log = agentLogs.get(agentId) ?? openLog(agentId, events);
        agentLogs.set(agentId, log);
        return log;
      }),
    saveOutput: outputs.save,
    get taskListFile() {
      return join(outputs.folder(), "tasks.jsonl");
    },
    taskOutputFile: (id) => join(outputs.folder(), `${safeName(id)}.output`),
    ownFolders: () => (outputs.used === undefined ? [] : [outputs.used]),
    checkpointFolder: async () => makeFolder(join(outputs.folder(), "checkpoints")),
    scratchFolder: async () => outputs.folder(),
    scratchpadFolder: outputs.scratchpad,
    close: async () => {
      await Promise.all([leadLog, ...agentLogs.values()].map((log) => log.close()));
      await outputs.close();
      await io.turn(release);
    },
  };
}
