import { agent, type McpServer, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import * as z from "zod";
import { PermissionMode, type SessionListing, TroupeError } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import { leadOf } from "../view/index.ts";
import { type AcpSession, createAcpSession } from "./acp-session.ts";
import { afterInitialize } from "./after-initialize.ts";

/** How to open the editor's sessions. The command line provides the flags. */
export interface AcpOptions {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  readonly version: string;
  open(wanted: SessionRequest): Promise<Session>;
  sessions(): Promise<readonly Pick<SessionListing, "id" | "cwd" | "updatedAt" | "firstPrompt">[]>;
  readonly onError: (error: unknown) => void;
}

export interface SessionRequest {
  readonly cwd: string;
  readonly addDir: readonly string[];
  /** In the form of `.mcp.json`. */
  readonly mcpConfig: string | undefined;
  readonly resume: string | undefined;
}

/** Serves the Agent Client Protocol until the editor disconnects or the signal aborts. Then closes all sessions. */
export async function serveAcp(options: AcpOptions, signal: AbortSignal): Promise<void> {
  const open = new Map<string, AcpSession>();
  const sessionOf = (id: string): AcpSession => {
    const known = open.get(id);
    if (!known) throw RequestError.sessionNotFound(id);
    return known;
  };
  const registerSession = async (wanted: SessionRequest, client: Parameters<typeof createAcpSession>[1]) => {
    const session = await asRequestError(() => options.open(wanted));
    const made = createAcpSession(session, client, options.onError);
    open.set(session.id, made);
    const availableCommands = session
      .slashCommands()
      .map(({ name, description, argumentHint }) => ({ name, description, input: { hint: argumentHint ?? "" } }));
    // After the response that contains the session's id.
    if (availableCommands.length > 0)
      setImmediate(() => {
        const update = { sessionUpdate: "available_commands_update" as const, availableCommands };
        client.notify("session/update", { sessionId: session.id, update }).catch(options.onError);
      });
    return made;
  };
  const closeSession = async (id: string) => {
    const known = open.get(id);
    open.delete(id);
    await known?.close();
  };

  const app = agent({ name: "troupe" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "troupe", title: "Troupe", version: options.version },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
    }))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const { session } = await registerSession(sessionRequestOf(params), client);
      return { sessionId: session.id, modes: modesOf(session) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      await closeSession(params.sessionId);
      const made = await registerSession({ ...sessionRequestOf(params), resume: params.sessionId }, client);
      await made.replay();
      return { modes: modesOf(made.session) };
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      await closeSession(params.sessionId);
      const made = await registerSession({ ...sessionRequestOf(params), resume: params.sessionId }, client);
      return { modes: modesOf(made.session) };
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const all = await asRequestError(options.sessions);
      const here = all.filter(({ cwd }) => !params.cwd || cwd === params.cwd);
      return {
        sessions: here.slice(0, maxListed).map(({ id, cwd, updatedAt, firstPrompt }) => ({
          sessionId: id,
          cwd,
          updatedAt,
          title: firstPrompt ?? null,
        })),
      };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      sessionOf(params.sessionId);
      await closeSession(params.sessionId);
    })
    .onRequest(methods.agent.session.prompt, ({ params, signal: cancelled }) =>
      sessionOf(params.sessionId).prompt(params, cancelled),
    )
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      const mode = PermissionMode.exclude(["bubble"]).safeParse(params.modeId);
      if (!mode.success) throw RequestError.invalidParams(undefined, z.prettifyError(mode.error));
      await sessionOf(params.sessionId).setMode(mode.data);
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => open.get(params.sessionId)?.cancel());

  const connection = app.connect(afterInitialize(ndJsonStream(options.output, options.input)));
  const closeAll = () => connection.close();
  signal.addEventListener("abort", closeAll, { once: true });
  if (signal.aborted) closeAll();
  await connection.closed;
  signal.removeEventListener("abort", closeAll);
  // A session that fails to close must not keep the others open.
  await Promise.all([...open.keys()].map((id) => closeSession(id).catch(options.onError)));
}

const maxListed = 200;

/** A user error becomes a request error with its message. Any other error is a bug. */
async function asRequestError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    throw RequestError.invalidParams({ code: error.code }, error.message);
  }
}

const modes: readonly { readonly id: PermissionMode; readonly name: string; readonly description: string }[] = [
  { id: "default", name: "Ask", description: "Asks before changes and commands that no rule allows" },
  { id: "acceptEdits", name: "Accept edits", description: "Edits files in its folders without asking" },
  { id: "plan", name: "Plan", description: "Only reads and makes a plan" },
  { id: "dontAsk", name: "Don't ask", description: "Does what is allowed and denies the rest" },
  { id: "bypassPermissions", name: "Bypass permissions", description: "Does everything without asking" },
];

function modesOf(session: Session) {
  const currentModeId = leadOf(session.view())?.permissionMode ?? "default";
  return { currentModeId, availableModes: modes.map((mode) => ({ ...mode })) };
}

interface SessionParams {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

function sessionRequestOf({ cwd, additionalDirectories = [], mcpServers = [] }: SessionParams): SessionRequest {
  const servers = Object.fromEntries(mcpServers.map((server) => [server.name, serverOf(server)]));
  const mcpConfig = mcpServers.length === 0 ? undefined : JSON.stringify({ mcpServers: servers });
  return { cwd, addDir: additionalDirectories, mcpConfig, resume: undefined };
}

function serverOf(server: McpServer): object {
  const pairs = (list: readonly { name: string; value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ("url" in server) return { type: server.type, url: server.url, headers: pairs(server.headers) };
  return { command: server.command, args: server.args, env: pairs(server.env) };
}
