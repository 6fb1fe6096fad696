import type { Command, Envelope } from "../protocol/index.ts";
import { noOpenWork, type RunOutcome, type Session, waitForTeam } from "../session/index.ts";
import { createCommandQueue } from "./command-queue.ts";
import { createPrinter, type OutputFormat, type Printer, type PrinterOptions } from "./printer.ts";
import { createRunResult, type RunResult } from "./run-result.ts";
import { undefinedOnAbort, iterateUntilAborted } from "./abortable.ts";

export interface HeadlessOptions {
  readonly session: Session;
  readonly output: OutputFormat;
  readonly progress: PrinterOptions["progress"];
  /** The commands for the session. The stream ends when the caller is done. */
  readonly commands: AsyncIterable<Command | InputProblem>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly signal: AbortSignal;
  /** Aborts at the first interrupt: from then on the run waits for no background job. */
  readonly interrupted?: AbortSignal | undefined;
  /** How long background commands may run after the last answer. */
  readonly backgroundWaitMs: number;
  /** When after the last answer the model is reminded of its commands that still run. Default: 5,000. */
  readonly reminderMs?: number | undefined;
  readonly clock: RunClock;
}

export interface RunClock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A line of input that is not a command. */
export interface InputProblem {
  readonly problem: string;
}

/**
 * Runs a session without a screen: reads commands, prints events or one result. Resolves when all commands are done.
 */
export async function runHeadless(options: HeadlessOptions): Promise<RunResult> {
  const { session } = options;
  const printer = createPrinter(options);
  const result = createRunResult({ sessionId: session.id, startedAt: options.clock.now(), now: options.clock.now });
  const events = session.events();
  const following = follow(events, (envelope) => {
    result.add(envelope);
    printer.event(envelope);
  });
  let problem: string | undefined;

  const asked = createCommandQueue(
    (command) => session.dispatch(command),
    ({ type }, ack) => {
      if (ack.ok) return;
      printer.problem(ack.message);
      // A prompt that was refused makes the exit code non-zero.
      if (type === "prompt") problem = ack.message;
    },
  );

  const leave = () => void session.close("interrupted");
  options.signal.addEventListener("abort", leave, { once: true });
  try {
    for await (const item of iterateUntilAborted(options.commands, AbortSignal.any([options.signal, asked.failed]))) {
      if ("problem" in item) {
        problem = item.problem;
        printer.problem(item.problem);
        continue;
      }
      asked.add(item);
      if (item.type === "close") break;
    }
    await undefinedOnAbort(asked.immediateDone(), options.signal);
    // The input has ended, so no client can answer questions.
    await session.dispatch({ type: "permission.abandon" });
    await undefinedOnAbort(asked.allDone(), options.signal);
    const outcome = await settleAll(options, printer);
    // An interrupted run is closing already.
    const openWork = options.signal.aborted ? noOpenWork : await session.openWork();
    await session.close(closeReason(outcome));
    await following;
    const finished = result.finish({ outcome, problem, interrupted: options.signal.aborted, openWork });
    printer.finish(finished);
    return finished;
  } finally {
    options.signal.removeEventListener("abort", leave);
  }
}

async function follow(events: AsyncIterable<Envelope>, each: (envelope: Envelope) => void): Promise<void> {
  for await (const envelope of events) each(envelope);
}

/** Waits until no agent is working and no job runs. A command may be a server, so it may run only for a limited time. */
async function settleAll(options: HeadlessOptions, printer: Printer): Promise<RunOutcome | undefined> {
  const { session, signal, interrupted, clock, reminderMs = defaultReminderMs } = options;
  const [late, done] = [new AbortController(), new AbortController()];
  const timer = clock.sleep(options.backgroundWaitMs, done.signal).then(
    () => late.abort(),
    () => undefined, // everything has settled
  );
  let reportedJobs = "";
  let isReminded = false;
  try {
    return await waitForTeam(session, {
      signal,
      limitOf(running) {
        const names = listOf(running.map((task) => task.description));
        // An agent ends by itself and is supervised, but a command may be a server that never ends.
        const onlyCommands = running.every((task) => task.kind === "shell");
        const limits = [...(interrupted ? [interrupted] : []), ...(onlyCommands ? [signal, late.signal] : [])];
        const limit = AbortSignal.any(limits);
        if (limit.aborted) printer.note(`stopped the background jobs: ${names}`);
        else if (names !== reportedJobs) printer.note(`waiting for background jobs: ${names}`);
        reportedJobs = names;
        return limit;
      },
      // Once in a run: a model that starts a command after each reminder would never end.
      async wakeLead(running, over) {
        if (isReminded || running.some((task) => task.kind !== "shell")) return false;
        isReminded = await clock.sleep(reminderMs, over).then(
          () => true,
          () => false, // the wait has ended
        );
        if (isReminded) await session.remindOfCommands();
        return isReminded;
      },
    });
  } finally {
    done.abort();
    await timer;
  }
}

/** A command that ends sooner costs no turn. */
const defaultReminderMs = 5_000;

/** Hundreds of names would hide everything else. */
const maxNames = 8;

const listOf = (names: readonly string[]): string =>
  names.length <= maxNames
    ? names.join(", ")
    : `${names.slice(0, maxNames).join(", ")} and ${names.length - maxNames} more`;

const closeReason = (outcome: RunOutcome | undefined): "completed" | "interrupted" | "failed" =>
  outcome?.reason === "interrupted" || outcome?.reason === "failed" ? outcome.reason : "completed";
