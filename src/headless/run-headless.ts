import type { Command, Envelope } from "../protocol/index.ts";
import type { RunOutcome, Session } from "../session/index.ts";
import { createCommandQueue } from "./command-queue.ts";
import { createPrinter, type OutputFormat, type Printer } from "./printer.ts";
import { createRunResult, type RunResult } from "./run-result.ts";
import { undefinedOnAbort, iterateUntilAborted } from "./abortable.ts";

export interface HeadlessOptions {
  readonly session: Session;
  readonly output: OutputFormat;
  readonly verbose: boolean;
  /** What is asked of the session: one command, or a stream of them that ends when the caller is done. */
  readonly commands: AsyncIterable<Command | InputProblem>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly signal: AbortSignal;
  /** How long background work may go on after the last answer. */
  readonly backgroundWaitMs: number;
  readonly now: () => number;
}

/** A line of input that is no command. */
export interface InputProblem {
  readonly problem: string;
}

/** Drives a session without a screen: commands in, events or one result out. Resolves when everything asked for is done. */
export async function runHeadless(options: HeadlessOptions): Promise<RunResult> {
  const { session } = options;
  const printer = createPrinter(options);
  const result = createRunResult({ sessionId: session.id, startedAt: options.now(), now: options.now });
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
      // What was asked for did not even begin: whoever reads the exit code should know.
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
    // The input has ended: who could answer a question has left.
    await session.dispatch({ type: "permission.abandon" });
    await undefinedOnAbort(asked.allDone(), options.signal);
    const outcome = await settleAll(options, printer, ended);
    await session.close(closeReason(outcome));
    await following;
    const finished = result.finish({ outcome, problem, interrupted: options.signal.aborted });
    printer.finish(finished);
    return finished;
  } finally {
    options.signal.removeEventListener("abort", leave);
  }
}

async function follow(events: AsyncIterable<Envelope>, each: (envelope: Envelope) => void): Promise<void> {
  for await (const envelope of events) each(envelope);
}

/** Nobody at work and nothing left running: a command that ends wakes the agent, so it takes turns to find out. */
async function settleAll(
  options: HeadlessOptions,
  printer: Printer,
  ended: EventSignal,
): Promise<RunOutcome | undefined> {
  const { session, signal } = options;
  const stopInput = AbortSignal.any([signal, AbortSignal.timeout(options.backgroundWaitMs)]);
  let reportedJobs = "";
  for (;;) {
    const changed = ended.next(signal);
    const outcome = await session.settled();
    const running = session.backgroundRunning();
    const names = running.map((task) => task.description).join(", ");
    if (names === "" || signal.aborted || outcome?.reason !== "completed") return outcome;
    // An agent ends by itself and is watched; a command may be a server that never does.
    const onlyCommands = running.every((task) => task.kind === "shell");
    if (onlyCommands && stopInput.aborted) {
      printer.note(`stopped what was still running in the background: ${names}`);
      return outcome;
    }
    if (names !== reportedJobs) printer.note(`waiting for what runs in the background: ${names}`);
    reportedJobs = names;
    await (onlyCommands ? Promise.race([changed, ended.next(stopInput)]) : changed);
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
