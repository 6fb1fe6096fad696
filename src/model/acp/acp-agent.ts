import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientContext,
  type McpServer,
  methods,
  ndJsonStream,
  type PromptResponse,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { ProcessScope } from "../../platform/index.ts";

export interface AcpAgentOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly processes: Pick<ProcessScope, "start">;
  /** Servers that it is given, beside its own. */
  readonly mcpServers: readonly McpServer[];
  readonly onUpdate: (update: SessionUpdate) => void;
  readonly onPermission: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;
}

/** Another program's agent, started and in a session. */
export interface AcpAgent {
  prompt(text: string): Promise<PromptResponse>;
  cancel(): Promise<void>;
  /** Resolves when its program has ended, with how. */
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

/** Rejects with what is wrong, for people; then nothing of it is left. */
export async function startAcpAgent(options: AcpAgentOptions): Promise<AcpAgent> {
  const [command = "", ...args] = options.command;
  const child = options.processes.start({ command, args, cwd: options.cwd, env: options.env });
  const stderrTail = tailOf(child.stderr);
  const ended = child.ended.then(({ exitCode, signal, startFailure }) => {
    const how = startFailure ?? `${command} ended (${signal ?? `exit code ${exitCode}`})`;
    return [how, stderrTail()].filter(Boolean).join(": ");
  });
  const connection = client({ name: "troupe" })
    .onNotification(methods.client.session.update, ({ params }) => options.onUpdate(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => options.onPermission(params, signal))
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  try {
    const sessionId = await Promise.race([open(agent, options), failed(ended), startTimeoutError(command)]);
    return {
      async prompt(text) {
        try {
          // The generic form: what comes back is checked by the SDK all the same.
          const prompt = [{ type: "text", text }];
          return await agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt });
        } catch (error) {
          // A program that has ended says more than a connection that was closed.
          throw new Error((await Promise.race([ended, soon()])) ?? messageOf(error), { cause: error });
        }
      },
      cancel: () => agent.notify(methods.agent.session.cancel, { sessionId }),
      ended,
      end: async () => {
        connection.close();
        await child.end();
      },
    };
  } catch (error) {
    connection.close();
    await child.end();
    throw new Error(messageOf(error), { cause: error });
  }
}

async function open(agent: ClientContext, { cwd, mcpServers }: AcpAgentOptions): Promise<string> {
  const { protocolVersion } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "troupe", version: "1" },
    // It reads and writes files itself, and asks before it does.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  if (protocolVersion !== PROTOCOL_VERSION)
    throw new Error(
      `it speaks version ${protocolVersion} of the Agent Client Protocol, and this is ${PROTOCOL_VERSION}`,
    );
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [...mcpServers] });
  return sessionId;
}

/** It is told to begin, and says nothing for this long. */
const startWithinMs = 60_000;

function startTimeoutError(command: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(
      () => reject(new Error(`${command} was started and did not answer within a minute`)),
      startWithinMs,
    ).unref();
  });
}

const soon = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 1000).unref());

/** With what the other program says of it: its message alone is often no more than "Internal error". */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = "data" in error ? Details.safeParse(error.data) : undefined;
  return details?.success ? `${error.message}: ${details.data.slice(0, 1000)}` : error.message;
}

const Details = z.union([z.string(), z.object({ details: z.string() }).transform(({ details }) => details)]);

const failed = async (ended: Promise<string>): Promise<never> => {
  throw new Error(await ended);
};

/** The end of what it has written there, for when it fails. */
function tailOf(stream: Readable): () => string {
  let tail = "";
  stream.on("data", (chunk: Buffer) => {
    tail = (tail + chunk.toString("utf8")).slice(-2000);
  });
  return () => tail.trim().split("\n").slice(-3).join(" ");
}
