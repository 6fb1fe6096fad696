import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ProcessScope } from "../../platform/index.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { overlongAnswer, parseMessage } from "./parse-message.ts";
import type { StdioConfig } from "./server-config.ts";
import type { ConnectionPorts } from "./connect.ts";

export interface StdioTransportOptions extends Pick<ConnectionPorts, "cwd" | "env" | "processes" | "messageLimit"> {
  readonly config: StdioConfig;
}

/** A server as a child process of this session. It communicates through its pipes and ends with the session. */
export interface StdioTransport extends Transport {
  readonly pid: number | undefined;
  /** The reason why it ended; undefined while it runs. */
  readonly ending: string | undefined;
}

/** Ignores lines that are not messages, and messages that answer no request. */
export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { config, cwd, env, processes, messageLimit } = options;
  let child: ReturnType<ProcessScope["start"]> | undefined;
  let ending: string | undefined;
  let closed = false;
  let stderrTail = "";

  const gone = (why: string) => {
    ending ??= why;
    if (closed) return;
    closed = true;
    transport.onclose?.();
  };

  const onLine = (line: string) => {
    const message = parseMessage(line);
    if (message) transport.onmessage?.(message);
  };
  const onOverlong = (edges: { head: string; tail: string }) => {
    const answer = overlongAnswer(edges, messageLimit);
    if (answer) return transport.onmessage?.(answer);
    ending ??= `it sent a message of more than ${messageLimit} bytes`;
    void transport.close();
  };

  /** A pipe breaks shortly before the child's end is known. How the child ended is the better reason. */
  const reasonFor = async (cause: unknown): Promise<unknown> => {
    await Promise.race([child?.ended, sleep(graceMs, undefined, { ref: false })]);
    return ending === undefined ? cause : new Error(ending, { cause });
  };

  const transport: StdioTransport = {
    get pid() {
      return child?.pid;
    },
    get ending() {
      return ending;
    },
    async start() {
      child = processes.start({ command: config.command, args: config.args, cwd, env });
      child.stdout.on("data", createLineSplitter({ limit: messageLimit, onLine, onOverlong }));
      child.stderr.on("data", (chunk: Buffer) => {
        stderrTail = (stderrTail + chunk.toString("utf8")).slice(-stderrTailLength);
      });
      child.side.resume();
      // The pipes of a dead child may break in any order; `ended` reports its result.
      for (const stream of [child.stdout, child.stderr, child.side]) stream.on("error", () => undefined);
      void child.ended.then((end) => gone(end.startFailure ?? describeEnd(end, stderrTail)));
    },
    async send(message: JSONRPCMessage) {
      if (!child || closed) throw new Error(ending ?? "the server is not running");
      const { stdin } = child;
      try {
        await new Promise<void>((resolve, reject) => {
          stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
        });
      } catch (cause) {
        throw await reasonFor(cause);
      }
    },
    async close() {
      child?.stdin.end();
      await child?.end(graceMs);
      gone("it was closed");
    },
  };
  return transport;
}

const graceMs = 500;
const stderrTailLength = 4_000;

function describeEnd(
  { exitCode, signal }: { exitCode: number | null; signal: string | null },
  stderrTail: string,
): string {
  const how = signal ? `it was ended by ${signal}` : `it exited with code ${exitCode ?? "unknown"}`;
  const said = stderrTail.trim().split("\n").slice(-3).join(" | ").trim();
  return said === "" ? how : `${how}, and said: ${said.slice(-600)}`;
}
