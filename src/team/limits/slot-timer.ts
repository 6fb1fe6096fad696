import type { Clock } from "../../platform/index.ts";
import type { SlotLog } from "./slot-client.ts";

/** Has the book looked at again when the minute is over for which somebody here waits. */
export interface SlotTimer {
  /** To be called whenever something was applied, or somebody has left. */
  schedule(): void;
  close(): void;
}

const maxMs = 60_000;
/** How soon it is tried again when looking has come to nothing, as on a full disk. */
const retryMs = 1_000;

export function createSlotTimer(
  log: () => Pick<SlotLog, "ledger" | "answers" | "now" | "submit">,
  { clock }: { readonly clock: Pick<Clock, "sleep"> },
): SlotTimer {
  let sleeping: AbortController | undefined;
  let isClosed = false;
  /** A look that was put down leaves a later time, or none. */
  let lastDueAt: number | undefined;

  const close = () => {
    sleeping?.abort();
    sleeping = undefined;
  };

  const schedule = () => {
    const { ledger: book, answers, now, submit: put } = log();
    const dueAt = isClosed || answers.size === 0 ? undefined : book.dueAt();
    if (dueAt === undefined) return close();
    if (sleeping) return;
    const abort = new AbortController();
    sleeping = abort;
    const minMs = lastDueAt === dueAt ? retryMs : 0;
    clock.sleep(Math.min(Math.max(dueAt - now(), minMs), maxMs), abort.signal).then(
      () => {
        sleeping = undefined;
        lastDueAt = dueAt;
        // The clock may have been set back meanwhile: the time is over all the same.
        put({ do: "look", at: Math.max(dueAt, now()) });
      },
      () => undefined, // only `close` ends it
    );
  };

  return {
    schedule,
    close() {
      isClosed = true;
      close();
    },
  };
}
