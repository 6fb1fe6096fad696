import { realpath } from "node:fs/promises";
import { makeFolder, openLineFile, projectName, storageError } from "../platform/index.ts";
import type { AgentId, SessionId, StoredEnvelope } from "../protocol/index.ts";
import { createOwnership } from "./opened-session.ts";
import { readEventLog } from "./read-event-log.ts";
import { agentLogFile, sessionFiles } from "./session-files.ts";
import type { SessionStoreOptions } from "./session-store.ts";

/** A session that happens on another machine, written here as it is told: everybody reads it like any other. */
export interface SessionCopy {
  /** How much of each agent is written. */
  count(agent: AgentId): number;
  /** In the order of the calls. Its session and its number are those of the copy; everything else stays as it was. */
  append(envelope: StoredEnvelope): Promise<StoredEnvelope>;
  close(): Promise<void>;
}

interface SessionCopyOptions extends SessionStoreOptions {
  readonly home: string;
  readonly cwd: string;
  readonly sessionId: SessionId;
}

/** Rejects with `session_busy` while another process has it open, and with `session_damaged` where what is there is not whole. */
export async function openSessionCopy(options: SessionCopyOptions): Promise<SessionCopy> {
  const { home, cwd, sessionId } = options;
  const real = await realpath(cwd).catch((error: unknown) => Promise.reject(storageError("work in", cwd, error)));
  const files = sessionFiles(home, projectName(real), sessionId);
  const ownership = createOwnership({ ...options, files }, () => undefined);
  await ownership.take();
  const written = new Map<AgentId, { readonly file: ReturnType<typeof openLineFile>; count: number }>();
  let lead: AgentId | undefined;

  const openLog = (agent: AgentId, path: string) => {
    const { envelopes } = readEventLog(path, { session: sessionId });
    const log = { file: openLineFile(path, { soleWriter: true }), count: envelopes.length };
    const own = envelopes[0]?.agent ?? agent;
    written.set(own, log);
    return own;
  };
  const known = (agent: AgentId) => {
    if (!written.has(agent)) openLog(agent, agent === lead ? files.log : agentLogFile(files, agent));
    return written.get(agent);
  };

  try {
    lead = readEventLog(files.log, { session: sessionId }).envelopes[0]?.agent;
    await makeFolder(files.subagents);
  } catch (error) {
    await ownership.release();
    throw error;
  }
  return {
    // The first who is written is the one that the session is about.
    count: (agent) => (lead === undefined ? 0 : (known(agent)?.count ?? 0)),
    async append(envelope) {
      lead ??= envelope.agent;
      const log = known(envelope.agent);
      if (!log) throw new Error(`${envelope.agent} has no log in ${files.folder}`);
      const { event } = envelope;
      const own: StoredEnvelope = {
        ...envelope,
        session: sessionId,
        seq: log.count + 1,
        event: event.type === "session.opened" ? { ...event, sessionId } : event,
      };
      log.count += 1;
      try {
        await log.file.append([own]);
      } catch (error) {
        log.count -= 1;
        throw error;
      }
      return own;
    },
    async close() {
      const ends = await Promise.allSettled([...written.values()].map(({ file }) => file.close()));
      await ownership.release();
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}
