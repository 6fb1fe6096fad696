import { TroupeError } from "../../protocol/index.ts";
import { type Session, startSession } from "../../session/index.ts";
import type { NextSession } from "../../tui/index.ts";
import type { WebServer } from "../../web-server/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { isTerminal } from "../is-terminal.ts";
import { createTuiOptions } from "./tui-options.ts";
import { readPrompt } from "./read-prompt.ts";
import type { RunFlags } from "./run-flags.ts";
import { listenToSignals } from "../signals.ts";
import { startUpdateCheck } from "../update/start-update-check.ts";

/** `troupe` in a terminal: runs one session after another until the user leaves. Returns the exit code. */
export async function runInteractive(words: string, flags: RunFlags): Promise<number> {
  requireTerminal(flags);
  let prompt = await readPrompt({ words, file: flags.promptFile, stdin: undefined, onNoInput: () => undefined });
  if (flags.team !== undefined) {
    const { runClaudeTeammate } = await import("../teammate/run-claude-teammate.ts");
    const code = await runClaudeTeammate(prompt, flags);
    if (code !== undefined) return code;
  }
  // Loads the UI while the session starts.
  const loading = import("../../tui/index.ts");
  loading.catch(() => undefined); // the code that awaits it below receives the error
  const update = startUpdateCheck(flags);
  try {
    return await runSessions();
  } finally {
    update.printNotice();
  }

  async function runSessions(): Promise<number> {
    let resume = flags.resume ?? (flags.continue ? "latest" : undefined);
    for (;;) {
      if (resume !== undefined && resume !== "latest") {
        const { resumeTeammate } = await import("../teammate/resume-teammate.ts");
        const code = await resumeTeammate(resume, flags);
        if (code !== undefined) return code;
      }
      const session = await start(resume).catch(firstRunHint);
      if (session === undefined) return exitCodes.usage;
      const { code, next } = await show(session);
      if (next === undefined) return code;
      resume = next.kind === "resume" ? next.sessionId : undefined;
      prompt = undefined;
    }
  }

  function start(resumed: string | undefined): Promise<Session> {
    return startSession({
      cwd: process.cwd(),
      env: process.env,
      flags,
      resume: resumed,
      asker: "reply",
      trust: flags.trust ? "all" : undefined,
      keep: "lead",
    });
  }

  /** Without a model, shows how to configure one. */
  async function firstRunHint(error: unknown): Promise<undefined> {
    if (!TroupeError.is(error) || error.code !== "no_model") throw error;
    const { firstRunScreen } = await loading;
    const { columns } = process.stdout;
    process.stdout.write(firstRunScreen({ problem: error.message, columns, env: process.env }));
  }

  async function show(session: Session): Promise<{ code: number; next: NextSession | undefined }> {
    let next: NextSession | undefined;
    const signals = listenToSignals({
      interrupt: () => void session.dispatch({ type: "interrupt" }),
      // The abort signal makes the terminal UI restore the terminal before anything else.
      leave: () => undefined,
    });
    let dashboard: WebServer | undefined;
    try {
      // The URL is printed above the screen, where the user can copy it.
      const { web } = flags;
      if (web !== undefined) {
        const { serveSessionDashboard } = await import("../web/serve-session-dashboard.ts");
        dashboard = await serveSessionDashboard(session, { ...flags, web });
      }
      const { runTui } = await loading;
      const tuiOptions = await createTuiOptions({
        session,
        flags,
        signal: signals.leaving,
        setNext: (wanted) => (next = wanted),
      });
      const code = await runTui({ ...tuiOptions, prompt });
      return { code: signals.exitCode ?? code, next: signals.leaving.aborted ? undefined : next };
    } finally {
      await session.close(signals.leaving.aborted ? "interrupted" : "completed");
      await dashboard?.close();
      signals.stop();
    }
  }
}

function requireTerminal(flags: RunFlags): void {
  if (flags.inputFormat !== "text" || flags.outputFormat !== "text")
    throw new TroupeError("usage", "--input-format and --output-format need a run without a screen: add -p");
  if (isTerminal()) return;
  throw new TroupeError(
    "usage",
    "no terminal available. Use -p 'task' to run without a screen, or 'troupe demo' to see an example.",
  );
}
