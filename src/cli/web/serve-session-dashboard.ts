import { loadConfig, type Session, type StoreOptions, storeVariables } from "../../session/index.ts";
import type { WebServer } from "../../web-server/index.ts";
import { serveDashboard } from "./serve-dashboard.ts";

/** `--web`: serves the dashboard in the process of a session, opened at that session. Prints its URL to stderr. */
export async function serveSessionDashboard(
  session: Session,
  { web: port, ...flags }: StoreOptions & { readonly web: number },
): Promise<WebServer> {
  const env = { ...process.env, ...storeVariables(flags) };
  const { home } = await loadConfig({ cwd: session.cwd, env });
  const logLine = (text: string) => process.stderr.write(`troupe: ${text}\n`);
  const server = await serveDashboard({ home, env, port, ownSession: session, onProblem: logLine });
  logLine(`dashboard of this session: ${server.address}#/s/${session.id}/team`);
  return server;
}
