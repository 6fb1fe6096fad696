import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { createMemberSeat, type SeatOptions } from "./member-seat.ts";
import { createSeatTools, type SeatToolOptions } from "./seat-tools.ts";
import { createServer } from "./create-server.ts";

export interface StdioOptions extends SeatOptions, SeatToolOptions {
  /** Becomes this member at once, without being told to. */
  readonly as?: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** One member on standard input and output, until the client closes them or the signal aborts. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const seat = createMemberSeat(options);
  try {
    if (options.as !== undefined) await seat.take(options.as);
    const tools = createSeatTools(seat, options);
    const transport = new StdioServerTransport(options.input, options.output);
    const handle = serve(() => createServer(seat, tools, options.as), { transport, onerror: options.onError });
    await new Promise<void>((resolve) => {
      options.input.once("end", resolve);
      options.input.once("close", resolve);
      options.signal.addEventListener("abort", () => resolve(), { once: true });
      if (options.signal.aborted) resolve();
    });
    await handle.close();
  } finally {
    await seat.leave();
  }
}
