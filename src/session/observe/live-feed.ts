import type { Clock, CreateId } from "../../platform/index.ts";
import { type Envelope, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import { listDoors } from "./door-place.ts";
import { answerMs, knock } from "./knock.ts";
import { liveStateOf } from "./live-state.ts";

/** What happens in a session that a process has open, from the moment this was had. */
export interface LiveFeed {
  /** What no log has, as it is at the beginning. */
  readonly now: readonly Envelope[];
  /** What has happened since the last call, once there is something; undefined: the session was closed, or its process is gone, or the reader was too slow. */
  next(): Promise<readonly Envelope[] | undefined>;
  close(): void;
}

/** From another process. Undefined where none can be reached. */
export async function feedFromDoor(home: string, session: SessionId): Promise<LiveFeed | undefined> {
  for (const door of await listDoors(home)) {
    if (door.session !== session) continue;
    const visit = await knock(home, door);
    visit?.ask({ ask: "events" });
    const now = await visit?.next(answerMs);
    if (!visit || now?.say !== "now") {
      visit?.close();
      continue;
    }
    return {
      now: now.envelopes,
      async next() {
        const said = await visit.next();
        if (said?.say === "events") return said.envelopes;
        visit.close();
        return undefined;
      },
      close: () => visit.close(),
    };
  }
  return undefined;
}

/** From the session itself, in this process. */
export function feedFromSession(session: Session, { clock, createId }: { clock: Clock; createId: CreateId }): LiveFeed {
  const over = new AbortController();
  const events = session.events({ aside: true, signal: over.signal })[Symbol.asyncIterator]();
  const at = new Date(clock.now()).toISOString();
  const now = liveStateOf(session.view(), { session: session.id, at, createId });
  let pending: Promise<IteratorResult<Envelope>> | undefined;

  /** What is there by now, without waiting for more. */
  const atHand = async (): Promise<IteratorResult<Envelope> | undefined> => {
    pending ??= events.next();
    const nothing = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
    return Promise.race([pending, nothing]);
  };

  return {
    now,
    async next() {
      const batch: Envelope[] = [];
      try {
        for (;;) {
          const got = batch.length === 0 ? await (pending ??= events.next()) : await atHand();
          if (got === undefined) return batch;
          if (got.done) return batch.length > 0 ? batch : undefined;
          pending = undefined;
          if (got.value.session === session.id) batch.push(got.value);
          if (batch.length >= 256) return batch;
        }
      } catch (error) {
        // It goes on from what is stored.
        if (TroupeError.is(error) && error.code === "slow_reader") return undefined;
        throw error;
      }
    },
    close: () => over.abort(),
  };
}
