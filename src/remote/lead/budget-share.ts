import type { Amount, Hold, Ledger } from "../../agent/index.ts";

/**
 * The part of the session's budget that a remote agent has. The ledger holds it until it is spent or released. So all
 * agents together exceed the budget by at most one call.
 */
export interface BudgetShare {
  /** Grants more to a worker. `most` is the total that it may spend from its start. */
  grant(wanted: { readonly keeps: Amount; readonly needs: Amount }, signal: AbortSignal): Promise<Grant>;
  spend(amount: Amount): void;
  /** Counts spending from a previous run of the session, which the ledger already has. */
  countEarlier(amount: Amount): void;
  /** Restores a grant from this or a previous run of the session. */
  restoreGrant(most: Amount): void;
  /** Releases the unspent rest: the agent has ended, or another worker starts. */
  close(): void;
}

export interface Grant {
  readonly most: Amount;
  /** Set if the budget is used up: the reason. */
  readonly usedUp?: string;
}

export function createBudgetShare(ledger: Ledger): BudgetShare {
  let most = nothing;
  let spent = nothing;
  let holds: { readonly hold: Hold; readonly left: Amount }[] = [];

  /** Adjusts the holds to the amount that is granted and not spent. */
  const adjustHolds = () => {
    let keep = minus(most, spent);
    const kept: typeof holds = [];
    for (const { hold, left } of holds) {
      const mine = smaller(left, keep);
      keep = minus(keep, mine);
      if (isNothing(mine)) hold.settle(nothing);
      else {
        if (mine.usd !== left.usd || mine.tokens !== left.tokens) hold.shrink(mine);
        kept.push({ hold, left: mine });
      }
    }
    holds = kept;
    return keep;
  };

  const addHold = async (amount: Amount, signal?: AbortSignal): Promise<boolean> => {
    const hold = await ledger.hold(amount, signal ? { signal } : {});
    if (hold) holds.push({ hold, left: amount });
    return hold !== undefined;
  };

  return {
    async grant({ keeps, needs }, signal) {
      most = keeps;
      adjustHolds();
      const isFree = isAtMost(needs, ledger.free());
      const more = isFree ? larger(needs, defaultGrant(ledger.free())) : needs;
      if (!(await addHold(more, signal)))
        return { most: keeps, usedUp: ledger.usedUp() ?? "the session's budget is used up" };
      most = plus(most, more);
      return { most };
    },
    spend(amount) {
      spent = plus(spent, amount);
      const [first] = holds;
      if (first) first.hold.lose(amount);
      else ledger.add(amount);
      adjustHolds();
    },
    countEarlier(amount) {
      spent = plus(spent, amount);
    },
    restoreGrant(known) {
      most = known;
      const missing = adjustHolds();
      // If the amount cannot be held again it still counts when spent, because it was granted.
      if (!isNothing(missing) && isAtMost(missing, ledger.free())) void addHold(missing).then(adjustHolds);
    },
    close() {
      most = nothing;
      spent = nothing;
      adjustHolds();
    },
  };
}

/** The default grant, a part of the free budget, so that the worker need not ask before every call. */
const defaultGrant = ({ usd, tokens }: Amount): Amount => ({
  usd: Math.min(usd / 8, noLimit),
  tokens: Math.min(Math.floor(tokens / 8), noLimit),
});
const noLimit = 1e12;

const nothing: Amount = { usd: 0, tokens: 0 };

const each =
  (combine: (a: number, b: number) => number) =>
  (a: Amount, b: Amount): Amount => ({ usd: combine(a.usd, b.usd), tokens: combine(a.tokens, b.tokens) });
const plus = each((a, b) => a + b);
const minus = each((a, b) => Math.max(0, a - b));
const smaller = each(Math.min);
const larger = each(Math.max);
const isAtMost = (a: Amount, b: Amount): boolean => a.usd <= b.usd && a.tokens <= b.tokens;
const isNothing = ({ usd, tokens }: Amount): boolean => usd <= 0 && tokens <= 0;
