import { loadConfig, type Session } from "../../session/index.ts";
import type { WebServer } from "../../web-server/index.ts";
import { serveDashboard } from "./serve-dashboard.ts";

/** `--web`: serves the dashboard in the process of a session, opened at that session. Prints its URL to stderr. */
export async function serveSessionDashboard(session: Session, port: number): Promise<WebServer> {
  const { home } = await loadConfig({ cwd: session.cwd, env: process.env });
  const logLine = (text: string) => process.stderr.write(`troupe: ${text}\n`);
  const server = await serveDashboard({ home, env: process.env, port, ownSession: session, onProblem: logLine });
  logLine(`dashboard of this session: ${server.address}#/s/${session.id}/team`);
  return server;
}
