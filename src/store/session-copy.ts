import { realpath } from "node:fs/promises";
import { makeFolder, openLineFile, projectName, storageError } from "../platform/index.ts";
import type { AgentId, SessionId, StoredEnvelope } from "../protocol/index.ts";
import { createOwnership } from "./open-session-files.ts";
import { readEventLog } from "./read-event-log.ts";
import { agentLogFile, sessionFiles } from "./session-files.ts";
import type { SessionStoreOptions } from "./session-store.ts";
import { truncateTornTail } from "./truncate-torn-tail.ts";

/** A local copy of a session on another machine, readable like any other session. */
export interface SessionCopy {
  /** The number of stored events of this agent. */
  count(agent: AgentId): Promise<number>;
  /** Appends one envelope after another. The copy sets its own session and number; everything else stays. */
  append(envelope: StoredEnvelope): Promise<StoredEnvelope>;
  close(): Promise<void>;
}

interface SessionCopyOptions extends SessionStoreOptions {
  readonly home: string;
  readonly cwd: string;
  readonly sessionId: SessionId;
}

/**
 * Rejects with `session_busy` while another process has it open, and with `session_damaged` if the existing copy is
 * damaged.
 */
export async function openSessionCopy(options: SessionCopyOptions): Promise<SessionCopy> {
  const { home, cwd, sessionId } = options;
  const real = await realpath(cwd).catch((error: unknown) => Promise.reject(storageError("work in", cwd, error)));
  const files = sessionFiles(home, projectName(real), sessionId);
  const ownership = createOwnership({ ...options, files }, () => undefined);
  await ownership.claim();
  const logs = new Map<AgentId, Promise<CopiedLog>>();
  let lead: AgentId | undefined;

  /** A torn last line after a crash is moved aside, as for any log. */
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
    // The first agent written is the session's lead.
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
