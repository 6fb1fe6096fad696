import type { Clock } from "../../platform/index.ts";
import type { SlotLog } from "./slot-client.ts";

/** Adds a `look` entry when the rate limit lets the next waiting agent of this process start. */
export interface SlotTimer {
  /** Call it after each applied entry and whenever a waiting agent leaves. */
  schedule(): void;
  close(): void;
}

const maxMs = 60_000;
/** The delay before a retry if a look changed nothing, as on a full disk. */
const retryMs = 1_000;

export function createSlotTimer(
  log: () => Pick<SlotLog, "ledger" | "answers" | "now" | "submit">,
  { clock }: { readonly clock: Pick<Clock, "sleep"> },
): SlotTimer {
  let sleeping: AbortController | undefined;
  let isClosed = false;
  /** The due time of the last look. If it is unchanged, that look was not written. */
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
        // The clock may have been set back during the sleep, but the wait is over.
        put({ do: "look", at: Math.max(dueAt, now()) });
      },
      () => undefined, // only `close` aborts it
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
