import * as z from "zod";
import {
  type Amount,
  type Budget,
  createLedger,
  type Hold,
  isDiskFull,
  type Ledger,
  tokensIn,
} from "../../agent/index.ts";
import {
  type Clock,
  type CreateId,
  currentProcess,
  type FolderWatcher,
  isAlive,
  openLineFile,
  ProcessIdentity,
  rejectOnAbort,
} from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

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

const amount = z.object({ usd: z.number().nonnegative(), tokens: z.number().nonnegative() });
/** Identifies an entry. On a full disk an entry may be stored although its write failed, and is then written again. */
const once = z.string().optional();
const Entry = z.discriminatedUnion("do", [
  z.object({ do: z.literal("hold"), id: z.string(), who: z.string(), most: amount, by: ProcessIdentity }),
  z.object({ do: z.literal("lose"), id: z.string(), once, amount }),
  z.object({ do: z.literal("shrink"), id: z.string(), most: amount }),
  z.object({ do: z.literal("settle"), id: z.string(), amount }),
  z.object({ do: z.literal("add"), who: z.string(), once, amount }),
]);
type Entry = z.infer<typeof Entry>;

interface HoldState {
  readonly sessionId: string;
  readonly by: ProcessIdentity;
  /** Set when the ledger has granted it. */
  grantedHold?: Hold | undefined;
  /** The amount, if it was settled before that. */
  settledAmount?: Amount;
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
  const file = openLineFile(path, { durability: "process" });
  const ledger = createLedger(budget);
  const holds = new Map<string, HoldState>();
  const waiting = new Map<string, (hold: Hold | undefined) => void>();
  const counted = new Set<string>();
  const self = currentProcess();
  let offset = 0;
  /** The spending of this session according to the file, and according to its logs. */
  let recordedSpent: Amount = nothing;
  let replayedSpent: Amount = nothing;
  /** Spending that is not in the file yet. It is written with the next entry. */
  let unwritten: Entry[] = [];

  const readEntries = () => {
    const { records, nextOffset } = file.readFrom(offset);
    offset = nextOffset;
    for (const { value } of records) {
      const entry = Entry.safeParse(value);
      if (entry.success) apply(entry.data);
    }
  };

  const apply = (entry: Entry) => {
    if (isKnown(entry)) return;
    switch (entry.do) {
      case "add":
        count(entry.who, entry.amount);
        return ledger.add(entry.amount);
      case "hold": {
        const state: HoldState = { sessionId: entry.who, by: entry.by };
        holds.set(entry.id, state);
        return ledger.request(entry.most, (hold) => answer(entry.id, state, hold));
      }
      case "lose":
        count(holds.get(entry.id)?.sessionId, entry.amount);
        return ledger.add(entry.amount);
      case "shrink":
        return holds.get(entry.id)?.grantedHold?.shrink(entry.most);
      case "settle": {
        const state = holds.get(entry.id);
        count(state?.sessionId, entry.amount);
        holds.delete(entry.id);
        if (state?.grantedHold) state.grantedHold.settle(entry.amount);
        else if (state) state.settledAmount = entry.amount;
      }
    }
  };

  /** A settled hold is removed, so settling it again does nothing. */
  const isKnown = (entry: Entry): boolean => {
    if (entry.do === "hold") return holds.has(entry.id);
    if ((entry.do !== "add" && entry.do !== "lose") || entry.once === undefined) return false;
    if (counted.has(entry.once)) return true;
    counted.add(entry.once);
    return false;
  };

  const count = (spender: string | undefined, spent: Amount) => {
    if (spender === sessionId) recordedSpent = plus(recordedSpent, spent);
  };

  /** Adds once what was spent before the file existed or was lost from it. */
  const syncSpent = () => {
    readEntries();
    const missing = { usd: replayedSpent.usd - recordedSpent.usd, tokens: replayedSpent.tokens - recordedSpent.tokens };
    replayedSpent = nothing;
    if (missing.usd > 1e-9 || missing.tokens > 0)
      add({ usd: Math.max(0, missing.usd), tokens: Math.max(0, missing.tokens) });
  };

  const add = (spent: Amount) => void write({ do: "add", who: sessionId, once: createId("add"), amount: spent });

  /** In the order of the file. A hold whose owner has settled already is released at once. */
  const answer = (id: string, state: HoldState, hold: Hold | undefined) => {
    state.grantedHold = hold;
    if (hold && state.settledAmount) hold.settle(state.settledAmount);
    waiting.get(id)?.(hold);
    waiting.delete(id);
  };

  /**
   * One write, visible to all processes when this returns. Rejects if it fails; spending is then kept for the next
   * write.
   */
  const write = (entry: Entry): Promise<void> => {
    const entries = [...unwritten, entry];
    unwritten = [];
    const stored = file.append(entries);
    readEntries();
    stored.catch(() => unwritten.push(...entries.filter((each) => each.do !== "hold")));
    return stored;
  };

  /** On a full disk no request is granted: it waits for space. */
  const ask = async (entry: Extract<Entry, { do: "hold" }>, { signal, onWait }: HoldWait) => {
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
    for (const [id, { by }] of holds)
      if (by.pid !== self.pid && isAlive(by, self) === "dead")
        void write({ do: "settle", id, amount: { usd: 0, tokens: 0 } });
  };

  const stopFollowing = watcher.follow(path, () => {
    try {
      readEntries();
      if (waiting.size > 0) settleDead();
    } catch (error) {
      // The file cannot be read now. Callers get the error, and the next change tries again.
      if (!TroupeError.is(error)) throw error;
    }
  });
  readEntries();

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
        void write({ do: "settle", id, amount: { usd: 0, tokens: 0 } });
        return undefined;
      } catch (error) {
        waiting.delete(id);
        // A failed write may have stored the whole request.
        void write({ do: "settle", id, amount: { usd: 0, tokens: 0 } });
        throw error;
      }
    },
    async close() {
      stopFollowing();
      await file.close();
    },
  };
}

type HoldWait = NonNullable<Parameters<Ledger["hold"]>[1]>;

const nothing: Amount = { usd: 0, tokens: 0 };

const plus = (a: Amount, b: Amount): Amount => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens });
