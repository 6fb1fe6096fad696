import type { AgentId, StoredEnvelope } from "../../protocol/index.ts";

/**
 * What is kept of a member that runs elsewhere is of one life after another, each a session of its own that goes on where it
 * knew the last one to be. Whether an event counts: what an earlier life says after a later one has begun does not.
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

/** The log of each agent as the next life goes on from it: without what the last one did not know of the one before. */
export function logsAcrossRuns(envelopes: Iterable<StoredEnvelope>): ReadonlyMap<AgentId, readonly StoredEnvelope[]> {
  const counts = createRunFilter();
  const logs = new Map<AgentId, StoredEnvelope[]>();
  for (const envelope of envelopes) {
    if (!counts(envelope)) continue;
    const log = logs.get(envelope.agent) ?? [];
    logs.set(envelope.agent, log);
    // A gap: nothing after it can be gone on from.
    if (envelope.seq > log.length + 1) continue;
    log.length = envelope.seq - 1;
    log.push(envelope);
  }
  return logs;
}
