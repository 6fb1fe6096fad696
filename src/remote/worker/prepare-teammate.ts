import type { Clock, CreateId } from "../../platform/index.ts";
import { type SessionId, TroupeError } from "../../protocol/index.ts";
import { logsAcrossRuns, openSessionCopy, type StoredTeam } from "../../store/index.ts";

/** Resolves when the lead has endorsed this machine's signing key. */
export async function waitForKeyEndorsement(
  { record }: Pick<StoredTeam, "record">,
  { name, publicKey, signal }: { readonly name: string; readonly publicKey: string; readonly signal: AbortSignal },
): Promise<void> {
  const stop = new AbortController();
  const changes = record.follow(AbortSignal.any([signal, stop.signal]));
  try {
    let team = await record.read();
    const following = changes[Symbol.asyncIterator]();
    while (team.publicKeys?.[name] !== publicKey) {
      signal.throwIfAborted();
      const member = team.members.find((each) => each.name === name);
      if (!member || member.ended) throw new TroupeError("team", `${name} has ended or is no longer in the team.`);
      const { value, done } = await following.next();
      if (done) signal.throwIfAborted();
      team = done ? await record.read() : value;
    }
  } finally {
    stop.abort();
  }
}

/** Resolves when the previous process of the teammate is no longer alive: only one process may act for a member. */
export async function waitUntilFree(
  { presence }: Pick<StoredTeam, "presence">,
  { name, clock, signal }: { readonly name: string; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const status = await presence.look(name);
    if (status?.alive !== "alive" || status.pid === process.pid) return;
    await clock.sleep(pollMs, signal);
  }
}

const pollMs = 200;

/**
 * Writes the events of the teammate's previous runs to disk, so that it can resume. Returns false if there are none.
 */
export async function importTranscript(
  { events }: Pick<StoredTeam, "events">,
  to: {
    readonly name: string;
    readonly home: string;
    readonly cwd: string;
    readonly sessionId: SessionId;
    readonly clock: Clock;
    readonly createId: CreateId;
  },
): Promise<boolean> {
  const logs = logsAcrossRuns((await events?.read(to.name)) ?? []);
  if (logs.size === 0) return false;
  const copy = await openSessionCopy(to);
  try {
    for (const log of logs.values()) for (const envelope of log) await copy.append(envelope);
  } finally {
    await copy.close();
  }
  return true;
}
