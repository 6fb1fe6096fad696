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
  /** The folder that the page was built into. */
  readonly assets: string;
  /** Without it, or with 0, one that is free. */
  readonly port?: number | undefined;
  /** For which port this token is; without it a new one each time. Whoever has it can do all that the user can. */
  readonly tokenFor?: ((port: number) => Promise<string>) | undefined;
  /** One line, for the person who started it. */
  readonly onProblem?: ((message: string) => void) | undefined;
  readonly pace?: Partial<StreamPace> | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
}

export interface WebServer {
  readonly port: number;
  /** With the token in it: for the user's eyes, and for no log. */
  readonly address: string;
  /** Ends every stream and connection at once. Safe to call twice. */
  close(): Promise<void>;
}

/** The dashboard, on the loopback interface only. Whoever gave the observatory closes it. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { sessionDirectory, worktrees, mail, tokenFor, onProblem = () => undefined } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const failed = (error: unknown) => onProblem(`the dashboard: ${wordsOf(error)}`);
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
    // Other parts of the program keep the Request and Response that they know.
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
    // The ends of the streams are sent before the connections are cut.
    await Promise.all([streams.close(), listening.close()]);
  }
}

const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? (error.stack ?? error.message) : `${error.message}: ${wordsOf(error.cause)}`;
};
