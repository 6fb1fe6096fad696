import { getRequestListener } from "@hono/node-server";
import type { SessionDirectory } from "../session/index.ts";
import { createTokenAuth, createToken } from "./token-auth.ts";
import { createApp } from "./create-app.ts";
import { loadAssets } from "./load-assets.ts";
import { createConnectionGate } from "./connection-gate.ts";
import { defaultPace, type StreamPace } from "./event-stream.ts";
import { listenOnLoopback } from "./listen-on-loopback.ts";
import type { MailApi } from "./mail-api.ts";
import { type ServerLimits, defaultLimits } from "./server-limits.ts";
import { createStreamRegistry } from "./stream-registry.ts";
import type { WorktreeApi } from "./worktree-api.ts";

export interface WebServerOptions {
  readonly sessionDirectory: SessionDirectory;
  readonly worktrees: WorktreeApi;
  readonly mail: MailApi;
  /** The folder of the built dashboard. */
  readonly assets: string;
  /** Without it, or with 0, any free port. */
  readonly port?: number | undefined;
  /** Returns the token for a port. Without it each start creates a new one. The token gives all rights of the user. */
  readonly tokenFor?: ((port: number) => Promise<string>) | undefined;
  /** Receives one-line messages for the user. */
  readonly onProblem?: ((message: string) => void) | undefined;
  readonly pace?: Partial<StreamPace> | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
}

export interface WebServer {
  readonly port: number;
  /** Contains the token: show it to the user and never log it. */
  readonly address: string;
  /** Ends every stream and connection at once. Safe to call twice. */
  close(): Promise<void>;
}

/** Serves the dashboard on the loopback interface only. The caller closes the session directory. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { sessionDirectory, worktrees, mail, tokenFor, onProblem = () => undefined } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const failed = (error: unknown) => onProblem(`dashboard: ${wordsOf(error)}`);
  const assets = await loadAssets(options.assets);
  const streams = createStreamRegistry({
    sessionDirectory,
    most: limits.maxStreams,
    pace: { ...defaultPace, ...options.pace },
    onFailure: failed,
  });
  const gate = createConnectionGate(limits);
  const listening = await listenOnLoopback(gate, options.port ?? 0);
  try {
    const { port } = listening;
    const token = (await tokenFor?.(port)) ?? createToken();
    const app = createApp({
      port,
      tokenAuth: createTokenAuth({ token, port }),
      sessionDirectory,
      worktrees,
      mail,
      assets,
      streams,
      onAuthenticated: ({ incoming }) => incoming && gate.markAuthenticated(incoming.socket),
      onFailure: failed,
    });
    // Other parts of the program keep the standard Request and Response.
    const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    gate.setListener((incoming, outgoing) => void answer(incoming, outgoing).catch(failed));
    let closing: Promise<void> | undefined;
    return {
      port,
      address: `http://127.0.0.1:${port}/?token=${token}`,
      close: () => (closing ??= end()),
    };
  } catch (error) {
    await listening.close();
    throw error;
  }

  async function end(): Promise<void> {
    // The last data of the streams is sent before the connections are closed.
    await Promise.all([streams.close(), listening.close()]);
  }
}

const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? (error.stack ?? error.message) : `${error.message}: ${wordsOf(error.cause)}`;
};
