import * as z from "zod";
import { type Amount, type Budget, createLedger, type Hold } from "../../agent/index.ts";
import { ProcessIdentity } from "../../platform/index.ts";

const amount = z.object({ usd: z.number().nonnegative(), tokens: z.number().nonnegative() });
/** Identifies an entry. On a full disk an entry may be stored although its write failed, and is then written again. */
const once = z.string().optional();
export const LedgerEntry = z.discriminatedUnion("do", [
  z.object({ do: z.literal("hold"), id: z.string(), who: z.string(), most: amount, by: ProcessIdentity }),
  z.object({ do: z.literal("lose"), id: z.string(), once, amount }),
  z.object({ do: z.literal("shrink"), id: z.string(), most: amount }),
  z.object({ do: z.literal("settle"), id: z.string(), amount }),
  z.object({ do: z.literal("add"), who: z.string(), once, amount }),
]);
export type LedgerEntry = z.infer<typeof LedgerEntry>;

interface HoldState {
  readonly sessionId: string;
  readonly by: ProcessIdentity;
  /** Set when the ledger has granted it. */
  grantedHold?: Hold | undefined;
  /** The amount, if it was settled before that. */
  settledAmount?: Amount;
}

/** Applies the entries of all processes to one ledger, in the order of the file. */
export function createLedgerFold(budget: Budget, sessionId: string) {
  const ledger = createLedger(budget);
  const holds = new Map<string, HoldState>();
  /** The holds that this process waits for. */
  const waiting = new Map<string, (hold: Hold | undefined) => void>();
  const counted = new Set<string>();
  /** The spending of this session. */
  let spent: Amount = nothing;

  const apply = (entry: LedgerEntry) => {
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
  const isKnown = (entry: LedgerEntry): boolean => {
    if (entry.do === "hold") return holds.has(entry.id);
    if ((entry.do !== "add" && entry.do !== "lose") || entry.once === undefined) return false;
    if (counted.has(entry.once)) return true;
    counted.add(entry.once);
    return false;
  };

  const count = (spender: string | undefined, amount: Amount) => {
    if (spender === sessionId) spent = plus(spent, amount);
  };

  /** In the order of the file. A hold whose owner has settled already is released at once. */
  const answer = (id: string, state: HoldState, hold: Hold | undefined) => {
    state.grantedHold = hold;
    if (hold && state.settledAmount) hold.settle(state.settledAmount);
    waiting.get(id)?.(hold);
    waiting.delete(id);
  };

  return {
    ledger,
    waiting,
    apply,
    get spent() {
      return spent;
    },
    /** The open holds and their processes. */
    holders: () => [...holds].map(([id, { by }]) => ({ id, by })),
  };
}

export const nothing: Amount = { usd: 0, tokens: 0 };

export const plus = (a: Amount, b: Amount): Amount => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens });
