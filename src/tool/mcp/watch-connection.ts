import type { Clock } from "../../platform/index.ts";
import type { Connection } from "./connect.ts";
import { isProcessStopped } from "./is-process-stopped.ts";

export interface ConnectionWatch {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly everyMs: number;
  /** Calls without an answer. */
  readonly pending: () => number;
}

/**
 * Pings a server program regularly. Drops a silent server that has no pending call. A silent server with a pending call
 * may be busy, so it is dropped only if its process is stopped.
 */
export async function watchConnection({ connection, clock, signal, everyMs, pending }: ConnectionWatch): Promise<void> {
  const { pid } = connection;
  if (pid === undefined) return;
  try {
    for (;;) {
      await clock.sleep(everyMs, signal);
      const idle = pending() === 0;
      if (await answersPing(connection, everyMs, signal)) continue;
      if (signal.aborted) return;
      if (isProcessStopped(pid)) return await connection.drop("its process is stopped and does not answer");
      if (idle && pending() === 0) return await connection.drop(`it has not answered for ${everyMs} ms`);
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
