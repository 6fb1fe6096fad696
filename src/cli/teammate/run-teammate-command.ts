import { type RunningTeammate, runTeammate, type StoreOptions } from "../../session/index.ts";
import { visibleLine } from "../../view/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { isTerminal } from "../is-terminal.ts";
import { createScreen } from "../screen.ts";
import { listenToSignals } from "../signals.ts";
import { createTeammatePrinter } from "./teammate-printer.ts";

export interface TeammateFlags {
  readonly team: string;
  readonly name: string;
}

/**
 * `troupe teammate`: runs one member of a team in this process until it has ended. Its identity comes from the team's
 * record and its work from its mail. The terminal shows it, and can send it prompts.
 */
export async function runTeammateCommand(
  { team, name }: TeammateFlags,
  runOptions: TeammateRunOptions = {},
): Promise<number> {
  const teammate = await runTeammate({ team, name, cwd: process.cwd(), env: process.env, flags: runOptions.flags });
  // `teammate.ended` reports a failure to stop it.
  void runOptions.until?.then(() => teammate.stop("rest").catch(() => undefined));
  return runOptions.frontend !== "lines" && isTerminal()
    ? runInTerminal(teammate)
    : runAsLines(teammate, { team, name });
}

export interface TeammateRunOptions {
  /** Where its team is stored. */
  readonly flags?: StoreOptions;
  /** `auto` shows the terminal UI if there is a terminal. */
  readonly frontend?: "auto" | "lines";
  /** The teammate is suspended when this resolves. */
  readonly until?: Promise<void>;
}

/**
 * Shows the teammate in the same UI as a lead. Leaving suspends it: it stays a member, and its lead decides what
 * happens next.
 */
async function runInTerminal(teammate: RunningTeammate): Promise<number> {
  const signals = listenToSignals({
    interrupt: () => void teammate.session.dispatch({ type: "interrupt" }),
    leave: () => undefined,
  });
  try {
    const { showTeammate } = await import("./show-teammate.ts");
    if ((await showTeammate(teammate, signals)) === "left") await teammate.stop("rest");
    const problem = await teammate.ended;
    if (problem === undefined) return signals.exitCode ?? exitCodes.done;
    process.stderr.write(`troupe: ${visibleLine(problem)}\n`);
    return exitCodes.failed;
  } finally {
    signals.stop();
  }
}

/** Prints the teammate's activity as lines. */
async function runAsLines(teammate: RunningTeammate, { team, name }: TeammateFlags): Promise<number> {
  const screen = createScreen(process.stdout, process.env);
  const { session } = teammate;
  const following = follow(teammate, createTeammatePrinter(screen));
  let leave: () => void = () => undefined;
  const left = new Promise<undefined>((resolve, reject) => {
    // On a closed terminal or a signal the teammate is suspended: it stays a member, and its lead decides what happens
    // next.
    leave = () => void teammate.stop("rest").then(() => resolve(undefined), reject);
  });
  const signals = listenToSignals({
    interrupt: () => void session.dispatch({ type: "interrupt" }),
    leave: () => leave(),
  });
  // Node exits when its event loop is empty, even while a promise is pending. The timer prevents that.
  const alive = setInterval(() => undefined, 60_000);
  try {
    screen.line(`${name} of ${team}.`, screen.paint.dim);
    const [problem] = await Promise.all([Promise.race([teammate.ended, left]), following]);
    if (problem === undefined) return signals.exitCode ?? exitCodes.done;
    screen.paragraph(problem, { first: "! ", style: screen.paint.red });
    return exitCodes.failed;
  } finally {
    process.stdin.destroy();
    signals.stop();
    clearInterval(alive);
  }
}

async function follow({ session }: RunningTeammate, show: ReturnType<typeof createTeammatePrinter>): Promise<void> {
  for await (const envelope of session.events()) show(envelope);
}
