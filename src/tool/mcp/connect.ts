import type { Client, ElicitRequest, ElicitResult, Prompt, Tool, Transport } from "@modelcontextprotocol/client";
import { pathToFileURL } from "node:url";
import { basename } from "node:path";
import { type ProcessScope, version } from "../../platform/index.ts";
import { createHttpTransport } from "./http-transport.ts";
import type { McpServerConfig } from "./server-config.ts";
import { createStdioTransport } from "./stdio-transport.ts";

export interface ConnectionPorts {
  readonly cwd: string;
  /** For servers that are programs: their whole environment, apart from their own `env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ProcessScope;
  readonly messageLimit: number;
  readonly startTimeoutMs: number;
  readonly roots: () => readonly string[];
  /** Passes a question of the server to the user. */
  readonly elicit: (request: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>;
}

export interface ConnectRequest extends ConnectionPorts {
  /** With its variables expanded. */
  readonly config: McpServerConfig;
  readonly signal: AbortSignal;
  /** Called when the server reports that its tools or prompts have changed. */
  readonly onChanged: () => void;
}

/** A server that has answered and listed what it offers. The caller closes it. */
export interface Connection {
  readonly client: Client;
  readonly offer: Offer;
  /** Resolves with the reason when the connection ends; never rejects. */
  readonly lost: Promise<string>;
  /** Set if the server is a program. */
  readonly pid: number | undefined;
  readonly perRequest: boolean;
  refresh(): Promise<Offer>;
  /** Closes the connection as lost. Pending calls fail with this reason. */
  drop(why: string): Promise<void>;
}

export interface Offer {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly hasResources: boolean;
  readonly instructions: string;
}

/**
 * Rejects when the server cannot be started or reached, does not answer in time, or sends an invalid answer. It then
 * leaves nothing open.
 */
export async function connect(request: ConnectRequest): Promise<Connection> {
  const { config, startTimeoutMs } = request;
  const { Client } = await import("@modelcontextprotocol/client");
  let why: string | undefined;
  let lose: (why: string) => void = () => undefined;
  const lost = new Promise<string>((resolve) => {
    lose = resolve;
  });
  const drop = async (reason: string) => {
    why ??= reason;
    await client.close();
    lose(reason);
  };

  const client = new Client(
    { name: "troupe", version },
    {
      capabilities: { roots: {}, elicitation: { form: {} } },
      // A server program may crash on a first message that it does not know. Over HTTP a probe is harmless.
      versionNegotiation: { mode: config.type === "http" ? "auto" : "legacy" },
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: changeDelayMs, onChanged: request.onChanged },
        prompts: { autoRefresh: false, debounceMs: changeDelayMs, onChanged: request.onChanged },
      },
    },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: request.roots().map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) })),
  }));
  client.setRequestHandler("elicitation/create", ({ params }, context) =>
    request.elicit(params, context.mcpReq.signal),
  );
  // Non-fatal errors (an answer without a request, a line that is not a message) are ignored.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is not an EventTarget
  client.onerror = () => undefined;

  const transport = await transportFor(request, () => void drop("it sent a message larger than the limit"));
  const ending = () => why ?? ("ending" in transport ? (transport.ending as string | undefined) : undefined);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is not an EventTarget
  client.onclose = () => lose(ending() ?? "the connection was closed");
  try {
    await client.connect(transport, { signal: request.signal, timeout: startTimeoutMs });
    const offer = await readOffer(client, request);
    return {
      client,
      offer,
      lost,
      pid: "pid" in transport ? (transport.pid as number | undefined) : undefined,
      perRequest: config.type !== "stdio",
      refresh: () => readOffer(client, request),
      drop,
    };
  } catch (error) {
    const reason = ending();
    await client.close();
    await transport.close();
    if (reason !== undefined && reason !== "it was closed") throw new Error(reason, { cause: error });
    throw error;
  }
}

const changeDelayMs = 100;

async function transportFor(request: ConnectRequest, onFlood: () => void): Promise<Transport> {
  const { config, messageLimit, processes } = request;
  if (config.type !== "stdio") return createHttpTransport({ config, messageLimit, onFlood });
  const env = { ...request.env, ...config.env };
  return createStdioTransport({ config, cwd: config.cwd ?? request.cwd, env, processes, messageLimit });
}

async function readOffer(client: Client, { signal, startTimeoutMs }: ConnectRequest): Promise<Offer> {
  const can = client.getServerCapabilities() ?? {};
  const options = { signal, timeout: startTimeoutMs, cacheMode: "refresh" } as const;
  const [tools, prompts] = await Promise.all([
    can.tools ? client.listTools(undefined, options).then((list) => list.tools) : [],
    can.prompts ? client.listPrompts(undefined, options).then((list) => list.prompts) : [],
  ]);
  return { tools, prompts, hasResources: can.resources !== undefined, instructions: client.getInstructions() ?? "" };
}
