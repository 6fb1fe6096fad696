import { isTerminal } from "../../src/cli/is-terminal.ts";
import { untilAborted } from "../../src/platform/index.ts";
import type { Screen } from "../../src/cli/screen.ts";
import { openBrowser } from "../../src/cli/web/open-browser.ts";
import { serveDashboard } from "../../src/cli/web/serve-dashboard.ts";
import type { Workspace } from "./workspace.ts";

/** The dashboard of the demo's own sessions. */
export interface DemoDashboard {
  /** Tells the user how to leave. Resolves when the signal aborts. */
  waitForEnd(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Serves the dashboard for the demo, prints its address, and opens it in a browser if there is one. */
export async function openDemoDashboard(
  { home, env }: Workspace,
  { screen, port }: { readonly screen: Screen; readonly port: number },
): Promise<DemoDashboard> {
  const onProblem = (message: string) => void process.stderr.write(`troupe: ${message}\n`);
  const server = await serveDashboard({ home, env, port, onProblem });
  screen.unwrapped(server.address, { first: "dashboard " });
  screen.line();
  const browser = { home, env: process.env, platform: process.platform, onProblem };
  const forget = isTerminal() ? await openBrowser(server.address, browser) : undefined;
  return {
    async waitForEnd(signal) {
      screen.line();
      screen.paragraph("The dashboard stays open. Press Ctrl-C to end it and the demo.");
      await untilAborted(signal);
    },
    async close() {
      await forget?.();
      await server.close();
    },
  };
}
