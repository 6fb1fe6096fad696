import { type Amount, type Ledger, tokensIn } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";

export interface BudgetAnswer {
  /** All that may be spent from the beginning. */
  readonly most: Amount;
  readonly usedUp?: string | undefined;
}

/** Who rests for long gives back what it was given: others may wait for it, and it for them. */
export interface IdleRelease {
  readonly clock: Pick<Clock, "sleep">;
  readonly afterMs: number;
  release(keeps: Amount): void;
}

/**
 * The ledger of agents that spend from a budget on another machine. They spend what was given to them, and ask for more
 * when a request might cost more than is left of it: until there is an answer that request waits.
 */
export function createJobLedger(
  askForMore: (wanted: { readonly keeps: Amount; readonly needs: Amount }) => Promise<BudgetAnswer>,
  idleRelease?: IdleRelease,
): Ledger {
  let most = nothing;
  let spent = nothing;
  let held = nothing;
  /** Requests under way. */
  let holds = 0;
  let usedUp: string | undefined;
  let asking: Promise<void> | undefined;

  const fits = (more: Amount) => {
    const all = plus(plus(spent, held), more);
    return all.usd <= most.usd + tiny && all.tokens <= most.tokens;
  };

  /** One question at a time. With it goes back what is neither spent nor on its way to be. */
  const more = (needs: Amount): Promise<void> => {
    asking ??= (async () => {
      try {
        const now = plus(spent, held);
        const keeps = { usd: Math.max(0, now.usd), tokens: Math.max(0, now.tokens) };
        most = keeps;
        const answer = await askForMore({ keeps, needs });
        ({ most, usedUp } = { usedUp: undefined, ...answer });
      } finally {
        asking = undefined;
        watchForIdle();
      }
    })();
    watchForIdle();
    return asking;
  };

  let idleTimer: AbortController | undefined;
  /** No request is under way: if that stays so, what is left is given back. */
  const watchForIdle = () => {
    idleTimer?.abort();
    idleTimer = undefined;
    if (!idleRelease || asking || holds > 0 || (most.usd <= spent.usd && most.tokens <= spent.tokens)) return;
    const wait = new AbortController();
    idleTimer = wait;
    idleRelease.clock.sleep(idleRelease.afterMs, wait.signal).then(
      () => {
        most = { usd: Math.max(0, spent.usd), tokens: Math.max(0, spent.tokens) };
        idleRelease.release(most);
      },
      () => undefined, // there is a request again
    );
  };

  return {
    budget: {},
    get spent() {
      return spent;
    },
    async hold(wanted, { signal, onWait } = {}) {
      signal?.throwIfAborted();
      while (!fits(wanted)) {
        if (usedUp !== undefined) return undefined;
        onWait?.();
        await waitUnlessAborted(signal, more(wanted));
      }
      held = plus(held, wanted);
      holds += 1;
      watchForIdle();
      let own = wanted;
      const release = (to: Amount) => {
        held = plus(plus(held, own, -1), to);
        own = to;
      };
      return {
        lose(amount) {
          spent = plus(spent, amount);
          return usedUp === undefined && fits(nothing);
        },
        shrink: release,
        settle(amount) {
          release(nothing);
          spent = plus(spent, amount);
          holds -= 1;
          watchForIdle();
        },
      };
    },
    free: () => ({
      usd: Math.max(0, most.usd - spent.usd - held.usd),
      tokens: Math.max(0, most.tokens - spent.tokens - held.tokens),
    }),
    add(amount) {
      spent = plus(spent, amount);
    },
    recall(event) {
      if (event.type === "cost.recorded") this.add({ usd: event.costUsd, tokens: tokensIn(event.usage) });
    },
    usedUp: () => usedUp,
  };
}

/** What is asked for is asked for all the same: the answer is there for the next one. */
async function waitUnlessAborted(signal: AbortSignal | undefined, wait: Promise<void>): Promise<void> {
  if (!signal) return wait;
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  wait.catch(() => undefined);
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const nothing: Amount = { usd: 0, tokens: 0 };
/** Sums of prices are not exact. */
const tiny = 1e-9;

const plus = (a: Amount, b: Amount, times = 1): Amount => ({
  usd: a.usd + times * b.usd,
  tokens: a.tokens + times * b.tokens,
});
