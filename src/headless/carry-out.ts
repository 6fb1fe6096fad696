import type { Ack, Command } from "../protocol/index.ts";

/** Carries out commands as they come, so that a long one keeps nobody from stopping it. */
export interface CarryingOut {
  add(command: Command): void;
  /** Resolves when what was to be done at once is done. */
  atOnce(): Promise<void>;
  /** Resolves when everything is done. Both reject with what `dispatch` rejected with. */
  all(): Promise<void>;
  /** Aborts when `dispatch` has rejected: there is no point in reading on. */
  readonly failed: AbortSignal;
}

/**
 * What is said to the agent comes after everything that was asked before it; all the rest is carried out at once, and
 * only changes of the settings wait for each other.
 */
export function createCarryingOut(
  dispatch: (command: Command) => Promise<Ack>,
  onAck: (command: Command, ack: Ack) => void,
): CarryingOut {
  const failed = new AbortController();
  const running = new Map<Promise<void>, Command>();
  let settings: Promise<void> = Promise.resolve();

  const carryOut = async (command: Command, earlier: Promise<unknown> | undefined) => {
    try {
      await earlier;
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
      const earlier = isSaid(command) ? Promise.all(running.keys()) : command.type === "set" ? settings : undefined;
      const carried = carryOut(command, earlier);
      if (command.type === "set") settings = carried;
      running.set(carried, command);
      void carried.then(() => running.delete(carried));
    },
    atOnce: () => done([...running].flatMap(([carried, command]) => (isSaid(command) ? [] : [carried]))),
    all: () => done([...running.keys()]),
  };
}

const isSaid = ({ type }: Command): boolean => type === "prompt" || type === "continue" || type === "compact";
