import { type Cursor, type Envelope, type SessionId, TroupeError } from "../protocol/index.ts";
import type { SessionDirectory } from "../session/index.ts";
import type { StreamBuffer } from "./stream-buffer.ts";

export interface FollowOptions {
  readonly sessionDirectory: SessionDirectory;
  /** Besides the list: this one, and those of the members of its team. */
  readonly session: SessionId | undefined;
  readonly after: Readonly<Record<string, Cursor>>;
  readonly outbox: StreamBuffer;
  readonly signal: AbortSignal;
  /** Ends the stream: the page comes back with its cursor. */
  readonly disconnect: () => void;
  /** A bug, not something that was to be expected. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Brings to one page what it looks at: the list of sessions, one of them, and the members of its team as they are heard of.
 * Never rejects.
 */
export async function followSessions(options: FollowOptions): Promise<void> {
  const { sessionDirectory, session, outbox, signal, disconnect, onFailure } = options;
  const followed = new Map<SessionId, Promise<void>>();
  /** Members that have been heard of, and whose sessions were not there yet: how they will be looked for again. */
  const waitingFor = new Map<SessionId, NodeJS.Timeout>();

  const followMember = (id: SessionId, waitMs = firstWaitMs) => {
    if (followed.has(id) || waitingFor.has(id)) return;
    const missing = () => {
      followed.delete(id);
      // The list tells of it too, and on a busy machine only after a while.
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

  if (session !== undefined) followed.set(session, followOne(options, { id: session, each: lookForMembers }));
  try {
    for await (const list of sessionDirectory.sessions(signal)) {
      outbox.send("sessions", list);
      for (const { id } of list) if (stopWaiting(id)) followMember(id);
      await outbox.waitForRoom();
    }
  } catch (error) {
    // Without the list there is little to show: the page comes back, and is told again if it is still so.
    if (!signal.aborted) onFailure(error);
    disconnect();
  }
  for (const id of waitingFor.keys()) stopWaiting(id);
  await Promise.all(followed.values());
}

/** A member is told of a moment before its session is there; one that never comes is looked for less and less. */
const [firstWaitMs, mostWaitMs] = [250, 30_000];

interface Followed {
  readonly id: SessionId;
  readonly each?: (envelopes: readonly Envelope[]) => void;
  /** There is no such session now; without it the page is told. */
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
    outbox.send("gone", { session: id, message: error instanceof Error ? error.message : String(error) });
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
