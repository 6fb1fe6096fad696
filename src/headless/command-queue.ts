import type { Ack, Command } from "../protocol/index.ts";

/** Carries out commands as they come, so that a long one keeps nobody from stopping it. */
export interface CommandQueue {
  add(command: Command): void;
  /** Resolves when what was to be done at once is done. */
  immediateDone(): Promise<void>;
  /** Resolves when everything is done. Both reject with what `dispatch` rejected with. */
  allDone(): Promise<void>;
  /** Aborts when `dispatch` has rejected: there is no point in reading on. */
  readonly failed: AbortSignal;
}

/**
 * What is said to the agent comes after everything that was asked before it; all the rest is carried out at once, and
 * only changes of the settings wait for each other.
 */
export function createCommandQueue(
  dispatch: (command: Command) => Promise<Ack>,
  onAck: (command: Command, ack: Ack) => void,
): CommandQueue {
  const failed = new AbortController();
  const running = new Map<Promise<void>, Command>();
  let settings: Promise<void> = Promise.resolve();

  const runCommand = async (command: Command, previous: Promise<unknown> | undefined) => {
    try {
      await previous;
      onAck(command, await dispatch(command));
    } catch (error) {
      failed.abort(error);
    }
  };
  const done = async (some: readonly Promise<void>[]) => {
    await Promise.all(some);
    failed.signal.throwIfAborted();
  };
  return {
    failed: failed.signal,
    add(command) {
      const previous = isSequential(command)
        ? Promise.all(running.keys())
        : command.type === "set"
          ? settings
          : undefined;
      const execution = runCommand(command, previous);
      if (command.type === "set") settings = execution;
      running.set(execution, command);
      void execution.then(() => running.delete(execution));
    },
    immediateDone: () =>
      done([...running].flatMap(([execution, command]) => (isSequential(command) ? [] : [execution]))),
    allDone: () => done([...running.keys()]),
  };
}

const isSequential = ({ type }: Command): boolean => type === "prompt" || type === "continue" || type === "compact";
