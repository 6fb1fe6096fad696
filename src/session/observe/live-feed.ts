import type { Clock, CreateId } from "../../platform/index.ts";
import { type Envelope, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import { listSockets } from "./socket-path.ts";
import { answerMs, connectSessionSocket } from "./connect-session-socket.ts";
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

/** From the session itself, in this process. */
export function feedFromSession(session: Session, { clock, createId }: { clock: Clock; createId: CreateId }): LiveFeed {
  const closed = new AbortController();
  const events = session.events({ aside: true, signal: closed.signal })[Symbol.asyncIterator]();
  const at = new Date(clock.now()).toISOString();
  const now = liveStateOf(session.view(), { session: session.id, at, createId });
  let pending: Promise<IteratorResult<Envelope>> | undefined;

  /** What is there by now, without waiting for more. */
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
        // It goes on from what is stored.
        if (TroupeError.is(error) && error.code === "slow_reader") return undefined;
        throw error;
      }
    },
    close: () => closed.abort(),
  };
}
