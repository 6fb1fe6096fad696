import type { Clock } from "../platform/index.ts";
import type { SpawnLog } from "./spawn-desk.ts";

/** Has the book looked at again when the minute is over for which somebody here waits. */
export interface SpawnTick {
  /** To be called whenever something was applied, or somebody has left. */
  look(): void;
  close(): void;
}

const mostMs = 60_000;

export function createSpawnTick(log: () => SpawnLog, { clock }: { readonly clock: Pick<Clock, "sleep"> }): SpawnTick {
  let sleeping: AbortController | undefined;
  let isClosed = false;

  const close = () => {
    sleeping?.abort();
    sleeping = undefined;
  };

  const look = () => {
    const { book, answers, now, put } = log();
    const dueAt = isClosed || answers.size === 0 ? undefined : book.dueAt();
    if (dueAt === undefined) return close();
    if (sleeping) return;
    const abort = new AbortController();
    sleeping = abort;
    clock.sleep(Math.min(Math.max(dueAt - now(), 0), mostMs), abort.signal).then(
      () => {
        sleeping = undefined;
        // The clock may have been set back meanwhile: the time is over all the same.
        put({ do: "look", at: Math.max(dueAt, now()) });
      },
      () => undefined, // only `close` ends it
    );
  };

  return {
    look,
    close() {
      isClosed = true;
      close();
    },
  };
}
