import type { HeldMail } from "./inbox.ts";
import { heldMail, type InboxEntry } from "./inbox-fold.ts";

/** Collects arrived mail for one follower of an inbox until the follower takes it. */
export interface InboxFollower {
  deliver(arrived: readonly InboxEntry[]): void;
  fail(error: unknown): void;
  wake(): void;
  /** Throws the error given to `fail`. */
  take(): readonly HeldMail[];
  woken(): Promise<void>;
}

export function createInboxFollower(): InboxFollower {
  let waiting: InboxEntry[] = [];
  let failure: { readonly error: unknown } | undefined;
  let resolve: (() => void) | undefined;
  const wake = () => {
    resolve?.();
    resolve = undefined;
  };
  return {
    wake,
    deliver(arrived) {
      for (const entry of arrived) waiting.push(entry);
      if (arrived.length > 0) wake();
    },
    fail(error) {
      failure = { error };
      wake();
    },
    take() {
      if (failure !== undefined) throw failure.error;
      // Mail that is already marked as read is left out.
      const batch = waiting.flatMap(heldMail);
      waiting = [];
      return batch;
    },
    woken: () => new Promise((done) => (resolve = done)),
  };
}
