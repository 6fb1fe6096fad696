import { createIdFactory, systemClock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { openSessionDirectory, type Session } from "../../session/index.ts";
import { type BusAddress, openTeamStore } from "../../store/index.ts";
import { startWebServer, type WebServer } from "../../web-server/index.ts";
import { createWorktreeApi } from "./create-worktree-api.ts";
import { dashboardFolder } from "./dashboard-folder.ts";
import { createMailApi } from "./create-mail-api.ts";
import { dashboardToken } from "./dashboard-token.ts";

export interface DashboardOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The required port: it is an error if this port is not available. Without it, uses `preferred` or any free port. */
  readonly port?: number | undefined;
  readonly preferred?: number | undefined;
  /** The session that is open in this process. */
  readonly ownSession?: Session | undefined;
  /** The bus whose teams are shown in addition to the local ones. */
  readonly bus?: BusAddress | undefined;
  readonly onProblem: (message: string) => void;
}

/** Serves the dashboard of all sessions of a home folder, until it is closed. */
export async function serveDashboard(options: DashboardOptions): Promise<WebServer> {
  const { home, env, ownSession, bus: address, onProblem } = options;
  const clock = systemClock;
  const bus =
    address && openTeamStore({ home, bus: address, clock, createId: createIdFactory(clock), onNotice: onProblem });
  const sessionDirectory = openSessionDirectory({ home, own: ownSession, bus, onProblem });
  const closing = new AbortController();
  const worktrees = createWorktreeApi({ sessionDirectory, env, signal: closing.signal });
  const mail = createMailApi({ sessionDirectory, env, bus: address });
  const start = (port: number) =>
    startWebServer({
      sessionDirectory,
      worktrees,
      mail,
      assets: dashboardFolder(),
      port,
      onProblem,
      // A free port differs at each start, so no page reconnects to it and no token is kept.
      ...(port !== 0 && { tokenFor: (port) => dashboardToken(home, { port, now: Date.now() }) }),
    });
  try {
    const server = await startOnFreePort(options, start);
    return {
      ...server,
      async close() {
        closing.abort();
        await server.close();
        await sessionDirectory.close();
      },
    };
  } catch (error) {
    await sessionDirectory.close();
    throw error;
  }
}

async function startOnFreePort(
  { port, preferred = 0 }: DashboardOptions,
  start: (port: number) => Promise<WebServer>,
): Promise<WebServer> {
  if (port !== undefined) return start(port);
  try {
    return await start(preferred);
  } catch (error) {
    if (preferred === 0 || !TroupeError.is(error) || error.code !== "port") throw error;
    return start(0);
  }
}
