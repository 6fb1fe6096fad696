import type { Clock } from "../../platform/index.ts";
import type { Connection } from "./connect.ts";
import { isProcessStopped } from "./is-process-stopped.ts";

export interface ConnectionWatch {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly pingEveryMs: number;
  /** Calls without an answer. */
  readonly pending: () => number;
  readonly onLost: (why: string, lastedMs: number) => void;
}

/** Pings a server and reports its loss. Returns a signal that aborts when the connection is lost. */
export function watchConnection(options: ConnectionWatch): AbortSignal {
  const { connection, clock, onLost } = options;
  const since = clock.monotonic();
  const lost = new AbortController();
  void connection.lost.then((why) => {
    lost.abort();
    onLost(why, clock.monotonic() - since);
  });
  void ping({ ...options, signal: AbortSignal.any([lost.signal, options.signal]) });
  return lost.signal;
}

/**
 * Pings a server program regularly. Drops a silent server that has no pending call. A silent server with a pending call
 * may be busy, so it is dropped only if its process is stopped.
 */
async function ping({
  connection,
  clock,
  signal,
  pingEveryMs,
  pending,
}: Omit<ConnectionWatch, "onLost">): Promise<void> {
  const { pid } = connection;
  if (pid === undefined) return;
  try {
    for (;;) {
      await clock.sleep(pingEveryMs, signal);
      const idle = pending() === 0;
      if (await answersPing(connection, pingEveryMs, signal)) continue;
      if (signal.aborted) return;
      if (isProcessStopped(pid)) return await connection.drop("its process is stopped and does not answer");
      if (idle && pending() === 0) return await connection.drop(`it has not answered for ${pingEveryMs} ms`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function answersPing({ client }: Connection, timeout: number, signal: AbortSignal): Promise<boolean> {
  try {
    await client.ping({ timeout, signal });
    return true;
  } catch (error) {
    // A server that does not know ping has still answered.
    const { ProtocolError } = await import("@modelcontextprotocol/client");
    return ProtocolError.isInstance(error);
  }
}
