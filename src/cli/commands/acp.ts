import { Readable, Writable } from "node:stream";
import { serveAcp } from "../../acp/index.ts";
import { version } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import { openSessionStore, startSession } from "../../session/index.ts";
import { exitCodes } from "../exit-codes.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { listenToSignals } from "../signals.ts";

/**
 * Serves the Agent Client Protocol on stdin and stdout, so that an editor can run sessions, until the editor closes
 * stdin.
 */
export async function runAcp(flags: Partial<RunFlags>): Promise<number> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const signals = listenToSignals({ interrupt: leave, leave });
  const logLine = (error: unknown) => process.stderr.write(`troupe acp: ${messageOf(error)}\n`);
  try {
    await serveAcp(
      {
        input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
        output: Writable.toWeb(process.stdout),
        version,
        open: ({ cwd, addDir, mcpConfig, resume }) =>
          startSession({
            cwd,
            env: process.env,
            flags: {
              ...flags,
              addDir: [...(flags.addDir ?? []), ...addDir],
              ...(mcpConfig !== undefined && { mcpConfig: [...(flags.mcpConfig ?? []), mcpConfig] }),
            },
            resume,
            asker: "reply",
            trust: flags.trust ? "all" : undefined,
          }),
        sessions: async () => {
          const { store } = await openSessionStore({ cwd: process.cwd(), env: process.env });
          return (await store.list()).map(({ sessionId, cwd, updatedAt, firstPrompt }) => ({
            id: sessionId,
            cwd,
            updatedAt,
            firstPrompt,
          }));
        },
        onError: logLine,
      },
      leaving.signal,
    );
    return signals.exitCode ?? exitCodes.done;
  } finally {
    signals.stop();
    // The editor may never close stdin.
    process.stdin.destroy();
  }
}
