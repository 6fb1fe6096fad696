import { exitCodeOf, readCommands, runHeadless } from "../../headless/index.ts";
import { systemClock } from "../../platform/index.ts";
import { type Command, TroupeError } from "../../protocol/index.ts";
import { startSession } from "../../session/index.ts";
import type { WebServer } from "../../web-server/index.ts";
import { readPrompt } from "./read-prompt.ts";
import type { RunFlags } from "./run-flags.ts";
import { listenToSignals } from "../signals.ts";

/** Ten minutes: the maximum time of a foreground command. */
const backgroundWaitMs = 600_000;

/** `troupe`: with -p one session with one input and one output, otherwise the terminal UI. */
export async function runPrint(words: string, flags: RunFlags): Promise<number> {
  const streaming = flags.inputFormat === "stream-json";
  if (!flags.print) {
    const { runInteractive: runScreen } = await import("./run-interactive.ts");
    return runScreen(words, flags);
  }
  const prompt = await readPrompt({
    words,
    file: flags.promptFile,
    stdin: streaming ? undefined : process.stdin,
    onNoInput: () => process.stderr.write("troupe: no input on stdin; continuing without it\n"),
  });
  if (flags.team !== undefined) {
    const { runClaudeTeammate } = await import("../teammate/run-claude-teammate.ts");
    const code = await runClaudeTeammate(prompt, flags);
    if (code !== undefined) return code;
  }
  const resuming = flags.continue === true || flags.resume !== undefined;
  if (prompt === undefined && !streaming && !resuming) {
    throw new TroupeError("usage", "no prompt given. Pass it after -p, through a pipe, or with --prompt-file.");
  }
  if (flags.resume === true)
    throw new TroupeError("usage", "--resume needs the id or name of a session with -p. 'troupe sessions' lists them.");

  const session = await startSession({
    cwd: process.cwd(),
    env: process.env,
    flags,
    resume: flags.resume ?? (flags.continue ? "latest" : undefined),
    asker: streaming ? "reply" : "nobody",
    trust: flags.trust ? "all" : undefined,
  });
  const interrupted = new AbortController();
  const signals = listenToSignals({
    interrupt() {
      interrupted.abort();
      void session.dispatch({ type: "interrupt" });
    },
    leave: () => void session.close("interrupted"),
  });
  const { web } = flags;
  let dashboard: WebServer | undefined;
  // Node exits when its event loop is empty, even while a promise is pending. The timer prevents that.
  const alive = setInterval(() => undefined, 60_000);
  try {
    if (web !== undefined)
      dashboard = await (await import("../web/serve-session-dashboard.ts")).serveSessionDashboard(session, {
        ...flags,
        web,
      });
    const result = await runHeadless({
      session,
      output: flags.outputFormat,
      progress: flags.verbose ? "full" : process.stderr.isTTY ? "short" : "none",
      commands: commandsOf(prompt, streaming),
      write: (text) => void process.stdout.write(text),
      writeError: (text) => void process.stderr.write(text),
      signal: signals.leaving,
      interrupted: interrupted.signal,
      backgroundWaitMs,
      clock: systemClock,
    });
    return signals.exitCode ?? exitCodeOf(result);
  } finally {
    await session.close("interrupted");
    await dashboard?.close();
    signals.stop();
    clearInterval(alive);
    // The writer may never close stdin, and an open stdin keeps the process alive.
    if (streaming) process.stdin.destroy();
  }
}

async function* commandsOf(
  prompt: string | undefined,
  streaming: boolean,
): AsyncGenerator<Command | { problem: string }> {
  if (prompt !== undefined) yield { type: "prompt", content: prompt };
  else if (!streaming) yield { type: "continue" };
  if (streaming) yield* readCommands(process.stdin);
}
