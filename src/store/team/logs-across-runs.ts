import type { AgentId, StoredEnvelope } from "../../protocol/index.ts";

/**
 * The events of a remote member come from several runs. Each run is a session that continues from the last known state.
 * The filter rejects events of an earlier run after a later run has started.
 */
export function createRunFilter(): (envelope: Pick<StoredEnvelope, "session">) => boolean {
  const over = new Set<string>();
  let now: string | undefined;
  return ({ session }) => {
    if (over.has(session)) return false;
    if (now !== undefined && session !== now) over.add(now);
    now = session;
    return true;
  };
}

/**
 * Returns each agent's log as the next run continues it. Leaves out events of an earlier run that its successor did not
 * know.
 */
export function logsAcrossRuns(envelopes: Iterable<StoredEnvelope>): ReadonlyMap<AgentId, readonly StoredEnvelope[]> {
  const counts = createRunFilter();
  const logs = new Map<AgentId, StoredEnvelope[]>();
  for (const envelope of envelopes) {
    if (!counts(envelope)) continue;
    const log = logs.get(envelope.agent) ?? [];
    logs.set(envelope.agent, log);
    // After a gap, no later event can be continued from.
    if (envelope.seq > log.length + 1) continue;
    log.length = envelope.seq - 1;
    log.push(envelope);
  }
  return logs;
}
