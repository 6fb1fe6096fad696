import { type Clock, currentProcess, isAlive } from "../../platform/index.ts";
import type { TaskClaimer, TaskList } from "../../store/index.ts";

/** How often a follower looks for processes that have ended. */
const lookMs = 2_000;

/**
 * Wraps a task list for a program: its claims belong to its process, and the claims of processes that have ended are
 * released before the list is read, before a task is claimed, and while the list is followed.
 */
export function withDeadClaimsReleased(
  tasks: TaskList,
  { clock, keepClaims }: { readonly clock: Clock; readonly keepClaims: boolean },
): TaskList {
  const own = <By extends TaskClaimer>(by: By): By => (keepClaims ? by : { holder: currentProcess(), ...by });
  const release = () =>
    tasks.releaseGone(async ({ holder }) =>
      holder !== undefined && isAlive(holder) === "dead" ? "its process has ended" : undefined,
    );
  const releaseRepeatedly = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await release();
      await clock.sleep(lookMs, signal).catch(() => undefined); // only the signal ends the sleep
    }
  };
  return {
    ...tasks,
    async get(id) {
      await release();
      return tasks.get(id);
    },
    async list() {
      await release();
      return tasks.list();
    },
    async claim(id, by) {
      await release();
      return tasks.claim(id, own(by));
    },
    async update(id, patch, by) {
      await release();
      return tasks.update(id, patch, own(by));
    },
    async *follow(signal) {
      const over = new AbortController();
      const until = AbortSignal.any([signal, over.signal]);
      const releasing = releaseRepeatedly(until);
      // The end of the loop below reports the error.
      releasing.catch(() => over.abort());
      try {
        yield* tasks.follow(until);
      } finally {
        over.abort();
        await releasing;
      }
    },
  };
}
