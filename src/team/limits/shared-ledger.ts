import { type Amount, type Budget, type Hold, isDiskFull, type Ledger, tokensIn } from "../../agent/index.ts";
import {
  type Clock,
  type CreateId,
  currentProcess,
  type FolderWatcher,
  isAlive,
  rejectOnAbort,
} from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { createLedgerFold, type LedgerEntry, nothing, plus } from "./ledger-fold.ts";
import { openLedgerJournal } from "./ledger-journal.ts";

/**
 * The ledger of a team whose members run in several processes. All holds and settlements are in one file, in one order.
 * Every process applies them to the same in-memory ledger. So all agree whether a request fits, without a lock.
 */
export interface SharedLedger extends Ledger {
  close(): Promise<void>;
}

export interface SharedLedgerOptions {
  readonly path: string;
  readonly budget: Budget;
  /** The session whose spending this process adds. */
  readonly sessionId: string;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "sleep">;
  readonly createId: CreateId;
}

/** The delay before a retry on a full disk. */
const retryMs = 1_000;

export function createSharedLedger({
  path,
  budget,
  sessionId,
  watcher,
  clock,
  createId,
}: SharedLedgerOptions): SharedLedger {
  const fold = createLedgerFold(budget, sessionId);
  const { ledger, waiting } = fold;
  const { read, write, close } = openLedgerJournal(path, fold);
  const self = currentProcess();
  /** The spending of this session according to its logs. */
  let replayedSpent: Amount = nothing;

  /** Adds once what was spent before the file existed or was lost from it. */
  const syncSpent = () => {
    read();
    const missing = { usd: replayedSpent.usd - fold.spent.usd, tokens: replayedSpent.tokens - fold.spent.tokens };
    replayedSpent = nothing;
    if (missing.usd > 1e-9 || missing.tokens > 0)
      add({ usd: Math.max(0, missing.usd), tokens: Math.max(0, missing.tokens) });
  };

  const add = (spent: Amount) => void write({ do: "add", who: sessionId, once: createId("add"), amount: spent });

  /** On a full disk no request is granted: it waits for space. */
  const ask = async (entry: Extract<LedgerEntry, { do: "hold" }>, { signal, onWait }: HoldWait) => {
    for (;;) {
      try {
        return await write(entry);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        onWait?.();
        await clock.sleep(retryMs, signal);
      }
    }
  };

  /** Settles the holds of dead processes. */
  const settleDead = () => {
    for (const { id, by } of fold.holders())
      if (by.pid !== self.pid && isAlive(by, self) === "dead") void write({ do: "settle", id, amount: nothing });
  };

  const stopFollowing = watcher.follow(path, () => {
    try {
      read();
      if (waiting.size > 0) settleDead();
    } catch (error) {
      // The file cannot be read now. Callers get the error, and the next change tries again.
      if (!TroupeError.is(error)) throw error;
    }
  });
  read();

  const ownHold = (id: string): Hold => ({
    lose(lost) {
      void write({ do: "lose", id, once: createId("lose"), amount: lost });
      return ledger.usedUp() === undefined;
    },
    shrink: (most) => void write({ do: "shrink", id, most }),
    settle: (spent) => void write({ do: "settle", id, amount: spent }),
  });

  return {
    budget,
    get spent() {
      syncSpent();
      return ledger.spent;
    },
    free() {
      syncSpent();
      return ledger.free();
    },
    add,
    recall(event) {
      if (event.type === "cost.recorded")
        replayedSpent = plus(replayedSpent, { usd: event.costUsd, tokens: tokensIn(event.usage) });
    },
    usedUp() {
      syncSpent();
      return ledger.usedUp();
    },
    async hold(most, wait = {}) {
      const { signal, onWait } = wait;
      signal?.throwIfAborted();
      syncSpent();
      const id = createId<string>("hold");
      const answered = new Promise<Hold | undefined>((resolve) => waiting.set(id, resolve));
      try {
        await ask({ do: "hold", id, who: sessionId, most, by: self }, wait);
        if (waiting.has(id)) onWait?.();
        const hold = await rejectOnAbort(answered, signal);
        if (hold) return ownHold(id);
        void write({ do: "settle", id, amount: nothing });
        return undefined;
      } catch (error) {
        waiting.delete(id);
        // A failed write may have stored the whole request.
        void write({ do: "settle", id, amount: nothing });
        throw error;
      }
    },
    async close() {
      stopFollowing();
      await close();
    },
  };
}

type HoldWait = NonNullable<Parameters<Ledger["hold"]>[1]>;
