import type { Clock, CreateId } from "../../platform/index.ts";
import { type Envelope, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import { listSockets } from "./socket-path.ts";
import { answerMs, connectSessionSocket } from "./connect-session-socket.ts";
import { liveStateOf } from "./live-state.ts";

/** The live events of an open session, from the moment this was created. */
export interface LiveFeed {
  /** The initial state that is in no log. */
  readonly now: readonly Envelope[];
  /**
   * Waits for new events and returns them. Undefined if the session was closed, its process has ended, or the reader
   * was too slow.
   */
  next(): Promise<readonly Envelope[] | undefined>;
  close(): void;
}

/** A feed from another process. Undefined if no process can be reached. */
export async function feedFromSocket(home: string, session: SessionId): Promise<LiveFeed | undefined> {
  for (const target of await listSockets(home)) {
    if (target.session !== session) continue;
    const connection = await connectSessionSocket(home, target);
    connection?.send({ ask: "events" });
    const now = await connection?.next(answerMs);
    if (!connection || now?.say !== "now") {
      connection?.close();
      continue;
    }
    return {
      now: now.envelopes,
      async next() {
        const message = await connection.next();
        if (message?.say === "events") return message.envelopes;
        connection.close();
        return undefined;
      },
      close: () => connection.close(),
    };
  }
  return undefined;
}

/** A feed from a session in this process. */
export function feedFromSession(session: Session, { clock, createId }: { clock: Clock; createId: CreateId }): LiveFeed {
  const closed = new AbortController();
  const events = session.events({ aside: true, signal: closed.signal })[Symbol.asyncIterator]();
  const at = new Date(clock.now()).toISOString();
  const now = liveStateOf(session.view(), { session: session.id, at, createId });
  let pending: Promise<IteratorResult<Envelope>> | undefined;

  /** Returns the next event if it is ready, without waiting. */
  const nextIfReady = async (): Promise<IteratorResult<Envelope> | undefined> => {
    pending ??= events.next();
    const notReady = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
    return Promise.race([pending, notReady]);
  };

  return {
    now,
    async next() {
      const batch: Envelope[] = [];
      try {
        for (;;) {
          const result = batch.length === 0 ? await (pending ??= events.next()) : await nextIfReady();
          if (result === undefined) return batch;
          if (result.done) return batch.length > 0 ? batch : undefined;
          pending = undefined;
          if (result.value.session === session.id) batch.push(result.value);
          if (batch.length >= 256) return batch;
        }
      } catch (error) {
        // The reader continues from the stored events.
        if (TroupeError.is(error) && error.code === "slow_reader") return undefined;
        throw error;
      }
    },
    close: () => closed.abort(),
  };
}
