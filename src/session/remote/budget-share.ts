import type { Amount, Hold, Ledger } from "../../agent/index.ts";

/**
 * What of the session's budget an agent elsewhere has. It is held on the ledger from the moment it is given until it is
 * spent or given back, so that however many there are, all together go over the budget by one call at most.
 */
export interface BudgetShare {
  /** A worker asks for more than it has. `most` is all that it may spend from its beginning. */
  grant(wanted: { readonly keeps: Amount; readonly needs: Amount }, signal: AbortSignal): Promise<Grant>;
  spend(amount: Amount): void;
  /** It has spent this in an earlier life of the session: the ledger knows. */
  countEarlier(amount: Amount): void;
  /** It was given this, in an earlier life of the session or in this one. */
  restoreGrant(most: Amount): void;
  /** What is not spent is given back: it has ended, or another worker begins. */
  close(): void;
}

export interface Grant {
  readonly most: Amount;
  /** There is no more, in words. */
  readonly usedUp?: string;
}

export function createBudgetShare(ledger: Ledger): BudgetShare {
  let most = nothing;
  let spent = nothing;
  let holds: { readonly hold: Hold; readonly left: Amount }[] = [];

  /** Held is what is given and not spent. */
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
        return { most: keeps, usedUp: ledger.usedUp() ?? "the budget of the session is used up" };
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
      // What cannot be held again is spent all the same: it was given.
      if (!isNothing(missing) && isAtMost(missing, ledger.free())) void addHold(missing).then(adjustHolds);
    },
    close() {
      most = nothing;
      spent = nothing;
      adjustHolds();
    },
  };
}

/** Of what nobody has, so much is given even if less is needed at once: it need not ask before every call. */
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
