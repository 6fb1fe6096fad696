import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { createMemberConnection, type MemberConnectionOptions } from "./member-connection.ts";
import { createMemberTools, type MemberToolOptions } from "./member-tools.ts";
import { createMcpServer } from "./create-mcp-server.ts";

export interface StdioOptions extends MemberConnectionOptions, MemberToolOptions {
  /** Registers as this member at the start, without a Register call. */
  readonly as?: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** Serves one member on stdin and stdout, until the client closes them or the signal aborts. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const connection = createMemberConnection(options);
  try {
    if (options.as !== undefined) await connection.register(options.as);
    const tools = createMemberTools(connection, options);
    const transport = new StdioServerTransport(options.input, options.output);
    const handle = serve(() => createMcpServer(connection, tools, options.as), { transport, onerror: options.onError });
    await new Promise<void>((resolve) => {
      options.input.once("end", resolve);
      options.input.once("close", resolve);
      options.signal.addEventListener("abort", () => resolve(), { once: true });
      if (options.signal.aborted) resolve();
    });
    await handle.close();
  } finally {
    await connection.leave();
  }
}
