import type { Ack, Command } from "../protocol/index.ts";

/** Executes commands as they arrive, so that a long command does not block one that stops it. */
export interface CommandQueue {
  add(command: Command): void;
  /** Resolves when the commands that run immediately are done. */
  immediateDone(): Promise<void>;
  /** Resolves when all commands are done. Both reject with the error of `dispatch`. */
  allDone(): Promise<void>;
  /** Aborts when `dispatch` has rejected, so that no more input is read. */
  readonly failed: AbortSignal;
}

/**
 * Commands that address the agent wait for all earlier commands. All others run immediately; only changes of settings
 * wait for each other.
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
