import type { Command, Envelope } from "../protocol/index.ts";
import { noOpenWork, type RunOutcome, type Session } from "../session/index.ts";
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
  const ended = createEventSignal();
  const following = follow(events, (envelope) => {
    result.add(envelope);
    printer.event(envelope);
    if (envelope.event.type === "background.ended" || envelope.event.type === "member.changed") ended.notify();
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
    const outcome = await settleAll(options, printer, ended);
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

/** Waits until no agent is working and no job runs. A command that ends wakes the agent, so this repeats. */
async function settleAll(
  options: HeadlessOptions,
  printer: Printer,
  ended: EventSignal,
): Promise<RunOutcome | undefined> {
  const [late, done] = [new AbortController(), new AbortController()];
  const timer = options.clock.sleep(options.backgroundWaitMs, done.signal).then(
    () => late.abort(),
    () => undefined, // everything has settled
  );
  try {
    return await settleJobs(options, { printer, ended, stopInput: AbortSignal.any([options.signal, late.signal]) });
  } finally {
    done.abort();
    await timer;
  }
}

async function settleJobs(
  { session, signal, interrupted }: HeadlessOptions,
  { printer, ended, stopInput }: { printer: Printer; ended: EventSignal; stopInput: AbortSignal },
): Promise<RunOutcome | undefined> {
  let reportedJobs = "";
  for (;;) {
    const changed = ended.next(signal);
    const outcome = await session.settled();
    const running = session.backgroundRunning();
    const names = running.map((task) => task.description).join(", ");
    if (names === "" || signal.aborted || outcome?.reason !== "completed") return outcome;
    // An agent ends by itself and is supervised, but a command may be a server that never ends.
    const onlyCommands = running.every((task) => task.kind === "shell");
    const limit = AbortSignal.any([...(interrupted ? [interrupted] : []), ...(onlyCommands ? [stopInput] : [])]);
    if (limit.aborted) {
      printer.note(`stopped the background jobs: ${names}`);
      return outcome;
    }
    if (names !== reportedJobs) printer.note(`waiting for background jobs: ${names}`);
    reportedJobs = names;
    await Promise.race([changed, ended.next(limit)]);
  }
}

const closeReason = (outcome: RunOutcome | undefined): "completed" | "interrupted" | "failed" =>
  outcome?.reason === "interrupted" || outcome?.reason === "failed" ? outcome.reason : "completed";

interface EventSignal {
  notify(): void;
  /** Resolves at the next `notify`, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
}

function createEventSignal(): EventSignal {
  let waiters: (() => void)[] = [];
  return {
    notify() {
      for (const resolve of waiters) resolve();
      waiters = [];
    },
    next: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const done = () => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        waiters.push(done);
        signal.addEventListener("abort", done);
      }),
  };
}
