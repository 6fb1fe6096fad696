import { getRequestListener } from "@hono/node-server";
import type { SessionDirectory } from "../session/index.ts";
import { createAdmission, createToken } from "./admission.ts";
import { createApp } from "./app.ts";
import { loadAssets } from "./assets.ts";
import { createConnectionGate } from "./door.ts";
import { usualPace, type StreamPace } from "./event-stream.ts";
import { listenOnLoopback } from "./listen.ts";
import type { MailDesk } from "./mail-desk.ts";
import { type ServerLimits, usualLimits } from "./server-limits.ts";
import { createStreams } from "./streams.ts";
import type { WorktreeDesk } from "./worktree-desk.ts";

export interface WebServerOptions {
  readonly observatory: SessionDirectory;
  readonly worktrees: WorktreeDesk;
  readonly mail: MailDesk;
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
  const { observatory, worktrees, mail, tokenFor, onProblem = () => undefined } = options;
  const limits = { ...usualLimits, ...options.limits };
  const failed = (error: unknown) => onProblem(`the dashboard: ${wordsOf(error)}`);
  const assets = await loadAssets(options.assets);
  const streams = createStreams({
    observatory,
    most: limits.streams,
    pace: { ...usualPace, ...options.pace },
    failed,
  });
  const door = createConnectionGate(limits);
  const listening = await listenOnLoopback(door, options.port ?? 0);
  try {
    const { port } = listening;
    const token = (await tokenFor?.(port)) ?? createToken();
    const app = createApp({
      port,
      admission: createAdmission({ token, port }),
      observatory,
      worktrees,
      mail,
      assets,
      streams,
      onAdmitted: ({ incoming }) => incoming && door.markAuthenticated(incoming.socket),
      failed,
    });
    // Other parts of the program keep the Request and Response that they know.
    const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    door.setListener((incoming, outgoing) => void answer(incoming, outgoing).catch(failed));
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
