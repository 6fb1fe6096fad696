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
  /** Servers passed to the agent in addition to its own. */
  readonly mcpServers: readonly McpServer[];
  readonly onUpdate: (update: SessionUpdate) => void;
  readonly onPermission: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;
}

/** An agent of an external program, started and in a session. */
export interface AcpAgent {
  prompt(text: string): Promise<PromptResponse>;
  cancel(): Promise<void>;
  /** Resolves when the program has ended, with a description of how. */
  readonly ended: Promise<string>;
  end(): Promise<void>;
}

/** Rejects with a message for people. The program is then stopped. */
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
          // The generic form of `request`: the SDK still checks the response.
          const prompt = [{ type: "text", text }];
          return await agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt });
        } catch (error) {
          // The program's exit says more than a closed connection.
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
    // The agent reads and writes files itself and asks for permission first.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  if (protocolVersion !== PROTOCOL_VERSION)
    throw new Error(
      `it uses version ${protocolVersion} of the Agent Client Protocol, but Troupe uses version ${PROTOCOL_VERSION}`,
    );
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [...mcpServers] });
  return sessionId;
}

/** The longest wait for the program's first answer. */
const startWithinMs = 60_000;

function startTimeoutError(command: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${command} started but did not answer within a minute`)), startWithinMs).unref();
  });
}

const soon = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 1000).unref());

/** Adds the details that the program sent: the message alone is often only "Internal error". */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = "data" in error ? Details.safeParse(error.data) : undefined;
  return details?.success ? `${error.message}: ${details.data.slice(0, 1000)}` : error.message;
}

const Details = z.union([z.string(), z.object({ details: z.string() }).transform(({ details }) => details)]);

const failed = async (ended: Promise<string>): Promise<never> => {
  throw new Error(await ended);
};

/** Returns a reader of the end of the stream, for error messages. */
function tailOf(stream: Readable): () => string {
  let tail = "";
  stream.on("data", (chunk: Buffer) => {
    tail = (tail + chunk.toString("utf8")).slice(-2000);
  });
  return () => tail.trim().split("\n").slice(-3).join(" ");
}
