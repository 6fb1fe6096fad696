import { realpath } from "node:fs/promises";
import { makeFolder, openLineFile, projectName, storageError } from "../platform/index.ts";
import type { AgentId, SessionId, StoredEnvelope } from "../protocol/index.ts";
import { createOwnership } from "./open-session-files.ts";
import { readEventLog } from "./read-event-log.ts";
import { agentLogFile, sessionFiles } from "./session-files.ts";
import type { SessionStoreOptions } from "./session-store.ts";
import { truncateTornTail } from "./truncate-torn-tail.ts";

/** A session that happens on another machine, written here as it is told: everybody reads it like any other. */
export interface SessionCopy {
  /** How much of each agent is written. */
  count(agent: AgentId): Promise<number>;
  /** One after another. Its session and its number are those of the copy; everything else stays as it was. */
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
  await ownership.claim();
  const logs = new Map<AgentId, Promise<CopiedLog>>();
  let lead: AgentId | undefined;

  /** What a crash has left of a last line is set aside, as for any log. */
  const openLog = async (path: string): Promise<CopiedLog> => {
    const { envelopes, tornAt } = readEventLog(path, { session: sessionId });
    if (tornAt !== undefined) await truncateTornTail(path, { from: tornAt, clock: options.clock });
    return { file: openLineFile(path, { soleWriter: true }), count: envelopes.length };
  };
  const logOf = (agent: AgentId): Promise<CopiedLog> => {
    const known = logs.get(agent) ?? openLog(agent === lead ? files.log : agentLogFile(files, agent));
    logs.set(agent, known);
    return known;
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
    count: async (agent) => (lead === undefined ? 0 : (await logOf(agent)).count),
    async append(envelope) {
      lead ??= envelope.agent;
      const log = await logOf(envelope.agent);
      const { event } = envelope;
      const own: StoredEnvelope = {
        ...envelope,
        session: sessionId,
        seq: log.count + 1,
        event: event.type === "session.opened" ? { ...event, sessionId } : event,
      };
      await log.file.append([own]);
      log.count += 1;
      return own;
    },
    async close() {
      const opened = await Promise.allSettled(logs.values());
      const files = opened.flatMap((log) => (log.status === "fulfilled" ? [log.value.file] : []));
      const ends = await Promise.allSettled(files.map((file) => file.close()));
      await ownership.release();
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}

interface CopiedLog {
  readonly file: ReturnType<typeof openLineFile>;
  count: number;
}
