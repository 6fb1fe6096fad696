import { untilAborted } from "../../platform/index.ts";
import { loadConfig } from "../../session/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { isTerminal } from "../is-terminal.ts";
import { openBrowser } from "../web/open-browser.ts";
import { serveDashboard } from "../web/serve-dashboard.ts";
import { listenToSignals } from "../signals.ts";

export interface WebFlags {
  readonly port?: number;
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly json?: boolean;
  readonly bus?: string;
}

/** The default port. It stays the same when possible, so that an open page can reconnect. */
const usualPort = 4747;

/** `troupe web`: serves the dashboard of all sessions on this machine until Ctrl-C. */
export async function web({ port, open, json, ...flags }: WebFlags): Promise<number> {
  const { home, bus } = await loadConfig({ cwd: process.cwd(), env: process.env, flags });
  const ending = new AbortController();
  const signals = listenToSignals({
    // A second interrupt exits without waiting.
    interrupt: () => (ending.signal.aborted ? undefined : ending.abort()),
    leave: () => (ending.signal.aborted ? process.exit(signals.exitCode) : ending.abort()),
  });
  const onProblem = (message: string) => process.stderr.write(`troupe: ${message}\n`);
  const server = await serveDashboard({ home, bus, env: process.env, port, preferred: usualPort, onProblem });
  try {
    process.stdout.write(
      json ? `${JSON.stringify({ url: server.address, port: server.port })}\n` : startMessage(server.address),
    );
    const browser = { home, env: process.env, platform: process.platform, onProblem };
    const forget = open && !json && isTerminal() ? await openBrowser(server.address, browser) : undefined;
    await untilAborted(ending.signal);
    await forget?.();
    return signals.exitCode ?? exitCodes.done;
  } finally {
    await server.close();
    signals.stop();
  }
}

const startMessage = (address: string) =>
  `Dashboard: ${address}\nAnyone with this URL can do what you can do. Press Ctrl-C to stop.\n`;
