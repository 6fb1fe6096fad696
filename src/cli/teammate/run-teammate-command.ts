import { type RunningTeammate, runTeammate } from "../../session/index.ts";
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
 * `troupe teammate`: one member of a team in this process, until it has ended. Who it is comes from the team's record, what
 * it is to do from its mail; the terminal is for looking on, and for a word to it.
 */
export async function runTeammateCommand(
  { team, name }: TeammateFlags,
  runOptions: TeammateRunOptions = {},
): Promise<number> {
  const teammate = await runTeammate({ team, name, cwd: process.cwd(), env: process.env });
  // That it could not be stopped is told by its end.
  void runOptions.until?.then(() => teammate.stop("rest").catch(() => undefined));
  return runOptions.frontend !== "lines" && isTerminal()
    ? runInTerminal(teammate)
    : runAsLines(teammate, { team, name });
}

export interface TeammateRunOptions {
  /** `auto`: the screen where there is a terminal. */
  readonly frontend?: "auto" | "lines";
  /** Ends it when this resolves. */
  readonly until?: Promise<void>;
}

/** The same screen as a lead's. Who leaves it leaves a member that rests, and whose lead decides what becomes of it. */
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

/** What it does, line by line. */
async function runAsLines(teammate: RunningTeammate, { team, name }: TeammateFlags): Promise<number> {
  const screen = createScreen(process.stdout, process.env);
  const { session } = teammate;
  const following = follow(teammate, createTeammatePrinter(screen));
  let leave: () => void = () => undefined;
  const left = new Promise<undefined>((resolve, reject) => {
    // Its terminal is closed or it is told to go: it stays a member, and its lead decides what becomes of it.
    leave = () => void teammate.stop("rest").then(() => resolve(undefined), reject);
  });
  const signals = listenToSignals({
    interrupt: () => void session.dispatch({ type: "interrupt" }),
    leave: () => leave(),
  });
  // Node leaves when nothing is pending in its event loop, whatever somebody may still be waiting for.
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
