import type { StoredEvent } from "../protocol/index.ts";

/** Money, and tokens of every kind: input, output, cached or not. */
export interface Amount {
  readonly usd: number;
  readonly tokens: number;
}

export interface Budget {
  readonly maxBudgetUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/**
 * Counts what a tree of agents has spent, and what its requests in progress may still spend. The maximum cost of a
 * request is held before it and settled after it. So the tree exceeds its budget by one call at most, however many
 * agents ask at once.
 */
export interface Ledger {
  readonly spent: Amount;
  readonly budget: Budget;
  /**
   * Undefined if the budget is used up. While other holds might use it up, it waits for them, first come first served.
   * Rejects with the signal's reason if that aborts.
   */
  hold(most: Amount, wait?: { readonly signal?: AbortSignal; onWait?(): void }): Promise<Hold | undefined>;
  /** The amount that can be held now without waiting; infinite without a budget. */
  free(): Amount;
  /** Adds spending that has no hold. */
  add(amount: Amount): void;
  /** Adds the cost that a logged event records; ignores other events. */
  recall(event: StoredEvent): void;
  /** Says which budget is used up; undefined if none is. */
  usedUp(): string | undefined;
}

/** A ledger that can also answer synchronously, for replaying the recorded requests of others in order. */
export interface SyncLedger extends Ledger {
  /** Calls `answer` before it returns, unless the request must wait for others. */
  request(most: Amount, answer: (hold: Hold | undefined) => void): void;
}

/** Call `settle` exactly once for each hold. */
export interface Hold {
  /**
   * Records the cost of a lost attempt. True: the same hold covers another attempt. False: settle it, and request a new
   * one.
   */
  lose(amount: Amount): boolean;
  /** Reduces the hold to this amount, so that others can use the rest. */
  shrink(to: Amount): void;
  /** Ends the hold and records the amount spent, without the amounts passed to `lose`. */
  settle(amount: Amount): void;
}

interface Waiter {
  readonly most: Amount;
  readonly answer: (hold: Hold | undefined) => void;
}

export function createLedger(budget: Budget = {}): SyncLedger {
  const { maxBudgetUsd = Infinity, maxTokens = Infinity } = budget;
  let spent = nothing;
  let held = nothing;
  let holds = 0;
  const queue: Waiter[] = [];

  const isUsedUp = () => spent.usd >= maxBudgetUsd || spent.tokens >= maxTokens;
  const fits = (more: Amount) => {
    const all = plus(plus(spent, held), more);
    return all.usd <= maxBudgetUsd && all.tokens <= maxTokens;
  };

  const take = (first: Amount): Hold => {
    let most = first;
    held = plus(held, most);
    holds += 1;
    return {
      lose(amount) {
        spent = plus(spent, amount);
        return !isUsedUp() && (holds === 1 || fits(nothing));
      },
      shrink(to) {
        held = plus(plus(held, most, -1), to);
        most = to;
        serve();
      },
      settle(amount) {
        holds -= 1;
        held = holds === 0 ? nothing : plus(held, most, -1);
        spent = plus(spent, amount);
        serve();
      },
    };
  };

  /** Serves waiting requests in order: a smaller one never overtakes. */
  const serve = () => {
    for (let next = queue[0]; next; next = queue[0]) {
      if (!isUsedUp() && holds > 0 && !fits(next.most)) return;
      queue.shift();
      next.answer(isUsedUp() ? undefined : take(next.most));
    }
  };

  /** Undefined if the request must wait. */
  const tryHold = (most: Amount): { readonly hold: Hold | undefined } | undefined => {
    if (isUsedUp()) return { hold: undefined };
    return holds === 0 || (queue.length === 0 && fits(most)) ? { hold: take(most) } : undefined;
  };

  return {
    budget,
    get spent() {
      return spent;
    },
    request(most, answer) {
      const answered = tryHold(most);
      if (answered) answer(answered.hold);
      else queue.push({ most, answer });
    },
    free() {
      if (queue.length > 0) return nothing;
      const left = (most: number, used: number) => Math.max(0, most - used);
      return {
        usd: left(maxBudgetUsd, spent.usd + held.usd),
        tokens: left(maxTokens, spent.tokens + held.tokens),
      };
    },
    add(amount) {
      spent = plus(spent, amount);
      serve();
    },
    recall(event) {
      if (event.type === "cost.recorded") this.add({ usd: event.costUsd, tokens: tokensIn(event.usage) });
    },
    usedUp() {
      if (spent.usd >= maxBudgetUsd)
        return `the budget of $${maxBudgetUsd} is used up ($${spent.usd.toFixed(4)} spent)`;
      if (spent.tokens >= maxTokens) return `the budget of ${maxTokens} tokens is used up (${spent.tokens} used)`;
      return undefined;
    },
    async hold(most, { signal, onWait } = {}) {
      signal?.throwIfAborted();
      const answered = tryHold(most);
      if (answered) return answered.hold;
      onWait?.();
      return new Promise((resolve, reject) => {
        const leave = () => {
          queue.splice(queue.indexOf(waiter), 1);
          reject(signal?.reason as Error);
          serve();
        };
        const waiter: Waiter = {
          most,
          answer(hold) {
            signal?.removeEventListener("abort", leave);
            resolve(hold);
          },
        };
        queue.push(waiter);
        signal?.addEventListener("abort", leave, { once: true });
      });
    },
  };
}

const nothing: Amount = { usd: 0, tokens: 0 };

const plus = (a: Amount, b: Amount, times = 1): Amount => ({
  usd: a.usd + times * b.usd,
  tokens: a.tokens + times * b.tokens,
});

export const tokensIn = (usage: Extract<StoredEvent, { type: "cost.recorded" }>["usage"]): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
