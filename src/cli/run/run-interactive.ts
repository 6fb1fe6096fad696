import { TroupeError } from "../../protocol/index.ts";
import { openSessionStore, type Session, startSession } from "../../session/index.ts";
import type { NextSession } from "../../tui/index.ts";
import { isWithoutPrompt, leadOf, type SessionView, visibleLine } from "../../view/index.ts";
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
    let resume: string | true | undefined = flags.resume ?? (flags.continue ? "latest" : undefined);
    for (;;) {
      if (typeof resume === "string" && resume !== "latest") {
        const { resumeTeammate } = await import("../teammate/resume-teammate.ts");
        const code = await resumeTeammate(resume, flags);
        if (code !== undefined) return code;
      }
      const session = await start(resume).catch(firstRunHint);
      if (session === undefined) return exitCodes.usage;
      const { code, next, isKept } = await show(session, resume);
      if (next === undefined) {
        if (isKept) process.stdout.write(`${await resumeHint(session)}\n`);
        return code;
      }
      if (next.kind !== "resume") process.stdout.write(clearScreen);
      if (next.kind === "reopen" && !isKept) continue;
      resume = next.kind === "new" ? undefined : next.kind === "resume" ? next.sessionId : session.id;
      prompt = undefined;
    }
  }

  /** `true`: the user chooses a session in the UI. Until then a new session is open, which is in no team. */
  function start(resumed: string | true | undefined): Promise<Session> {
    const isChoosing = resumed === true;
    return startSession({
      cwd: process.cwd(),
      env: process.env,
      flags: isChoosing ? { ...flags, team: undefined } : flags,
      resume: isChoosing ? undefined : resumed,
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

  async function show(session: Session, resumed: string | true | undefined): Promise<Shown> {
    let next: NextSession | undefined;
    let isKept = true;
    let code: number = exitCodes.failed;
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
      const opens = resumed === true ? "resume" : tuiOptions.facts.trust?.isNew ? "trust" : undefined;
      code = await runTui({ ...tuiOptions, start: { opens, prompt } });
    } finally {
      await session.close(signals.leaving.aborted ? "interrupted" : "completed");
      if (typeof resumed !== "string") isKept = !(await removeIfEmpty(session));
      await dashboard?.close();
      signals.stop();
    }
    return { code: signals.exitCode ?? code, next: signals.leaving.aborted ? undefined : next, isKept };
  }
}

interface Shown {
  readonly code: number;
  readonly next: NextSession | undefined;
  /** False if nothing happened in the session, so that it was removed. */
  readonly isKept: boolean;
}

const clearScreen = "\x1b[H\x1b[2J";

const storeOf = async ({ cwd }: Session) => (await openSessionStore({ cwd, env: process.env })).store;

const removeIfEmpty = async (session: Session): Promise<boolean> =>
  isUnused(session.view()) && (await storeOf(session)).removeIfEmpty(session.id);

/** True if the lead has had no prompt. The store checks the rest. */
const isUnused = (view: SessionView): boolean => isWithoutPrompt(leadOf(view)?.transcript);

/** The command that resumes the session, by its name if it has one. */
async function resumeHint(session: Session): Promise<string> {
  const named = await (await storeOf(session)).readLog(session.id, { only: (type) => type === "session.named" });
  const event = named.at(-1)?.event;
  const name = event?.type === "session.named" ? event.name : undefined;
  return `Resume this session with: troupe --resume ${name === undefined ? session.id : JSON.stringify(visibleLine(name))}`;
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
