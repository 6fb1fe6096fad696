import { type Cursor, type Envelope, messageOf, type SessionId, TroupeError } from "../protocol/index.ts";
import type { SessionDirectory } from "../session/index.ts";
import type { StreamWriter } from "./stream-buffer.ts";
import type { SessionSummaries } from "./summaries/session-summaries.ts";

export interface FollowOptions {
  readonly sessionDirectory: SessionDirectory;
  /** The session to follow in addition to the list, together with its team's members. */
  readonly session: SessionId | undefined;
  readonly after: Readonly<Record<string, Cursor>>;
  /** Also sends the summaries of all sessions. */
  readonly summaries?: SessionSummaries | undefined;
  readonly outbox: StreamWriter;
  readonly signal: AbortSignal;
  /** Ends the stream. The page reconnects with its cursor. */
  readonly disconnect: () => void;
  /** Called with an unexpected error, which is a bug. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends one page the list of sessions, the events of one session, and those of its team's members as they appear. Never
 * rejects.
 */
export async function followSessions(options: FollowOptions): Promise<void> {
  const { sessionDirectory, session, outbox, signal, disconnect, onFailure } = options;
  const followed = new Map<SessionId, Promise<void>>();
  /** Timers that look again for sessions of known members that do not exist yet. */
  const waitingFor = new Map<SessionId, NodeJS.Timeout>();

  const followMember = (id: SessionId, waitMs = firstWaitMs) => {
    if (followed.has(id) || waitingFor.has(id)) return;
    const missing = () => {
      followed.delete(id);
      // The list also reports the session, but only later on a busy machine.
      const look = () => {
        waitingFor.delete(id);
        if (!signal.aborted) followMember(id, Math.min(waitMs * 2, mostWaitMs));
      };
      waitingFor.set(id, setTimeout(look, waitMs).unref());
    };
    followed.set(id, followOne(options, { id, missing }));
  };
  const stopWaiting = (id: SessionId): boolean => {
    clearTimeout(waitingFor.get(id));
    return waitingFor.delete(id);
  };
  const lookForMembers = (envelopes: readonly Envelope[]) => {
    for (const { event } of envelopes)
      if ((event.type === "member.joined" || event.type === "member.changed") && event.sessionId !== undefined)
        followMember(event.sessionId);
  };

  options.summaries?.listen((summaries) => outbox.send("summaries", summaries), signal);
  if (session !== undefined) followed.set(session, followOne(options, { id: session, each: lookForMembers }));
  try {
    for await (const list of sessionDirectory.sessions(signal)) {
      outbox.send("sessions", list);
      for (const { id } of list) if (stopWaiting(id)) followMember(id);
      await outbox.waitForRoom();
    }
  } catch (error) {
    // Without the list the page cannot work. It reconnects, and receives the error again if it persists.
    if (!signal.aborted) onFailure(error);
    disconnect();
  }
  for (const id of waitingFor.keys()) stopWaiting(id);
  await Promise.all(followed.values());
}

/** A member is reported shortly before its session exists. The wait doubles for a session that does not appear. */
const [firstWaitMs, mostWaitMs] = [250, 30_000];

interface Followed {
  readonly id: SessionId;
  readonly each?: (envelopes: readonly Envelope[]) => void;
  /** Called if the session does not exist now. Without it the page is notified. */
  readonly missing?: () => void;
}

async function followOne(options: FollowOptions, followed: Followed): Promise<void> {
  const { outbox, signal, disconnect, onFailure } = options;
  const { id, missing } = followed;
  try {
    await streamSession(options, followed);
  } catch (error) {
    if (signal.aborted) return;
    const code = TroupeError.is(error) ? error.code : undefined;
    if (code === undefined) onFailure(error);
    if (code === "session_not_found" && missing) return missing();
    if (code === "slow_reader") return disconnect();
    outbox.send("gone", { session: id, message: messageOf(error) });
  }
}

async function streamSession(
  { sessionDirectory, after, outbox, signal }: FollowOptions,
  { id, each }: Followed,
): Promise<void> {
  const observed = await sessionDirectory.open(id);
  const cursor = after[id];
  try {
    for await (const item of observed.events({ signal, ...(cursor && { after: cursor }) })) {
      switch (item.kind) {
        case "envelopes":
          outbox.sendEnvelopes(item.envelopes);
          each?.(item.envelopes);
          break;
        case "caught-up":
          outbox.send("caught-up", { session: id });
          break;
        case "state":
          outbox.send("state", { session: id, state: item.state });
      }
      await outbox.waitForRoom();
    }
  } finally {
    await observed.close();
  }
}
