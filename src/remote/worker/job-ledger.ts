import { type Amount, type Ledger, tokensIn } from "../../agent/index.ts";
import { type Clock, rejectOnAbort } from "../../platform/index.ts";

export interface BudgetAnswer {
  /** The total that may be spent from the start. */
  readonly most: Amount;
  readonly usedUp?: string | undefined;
}

/** Releases an unused grant after a longer idle time, because other agents may wait for it. */
export interface IdleRelease {
  readonly clock: Pick<Clock, "sleep">;
  readonly afterMs: number;
  release(keeps: Amount): void;
}

/**
 * The ledger of agents that spend from a budget on another machine. They spend their grant and ask for more when a
 * request might cost more than is left. That request waits for the answer.
 */
export function createJobLedger(
  askForMore: (wanted: { readonly keeps: Amount; readonly needs: Amount }) => Promise<BudgetAnswer>,
  idleRelease?: IdleRelease,
): Ledger {
  let most = nothing;
  let spent = nothing;
  let held = nothing;
  /** The number of requests in progress. */
  let holds = 0;
  let usedUp: string | undefined;
  let asking: Promise<void> | undefined;

  const fits = (more: Amount) => {
    const all = plus(plus(spent, held), more);
    return all.usd <= most.usd + tiny && all.tokens <= most.tokens;
  };

  /** Asks one question at a time. It also releases what is neither spent nor held. */
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
  /** Releases the rest of the grant if no request starts within the idle time. */
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
      () => undefined, // a new request has started
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
        // After an abort the question stays open: its answer serves the next request.
        await rejectOnAbort(more(wanted), signal);
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

const nothing: Amount = { usd: 0, tokens: 0 };
/** Tolerance for rounding errors in sums of prices. */
const tiny = 1e-9;

const plus = (a: Amount, b: Amount, times = 1): Amount => ({
  usd: a.usd + times * b.usd,
  tokens: a.tokens + times * b.tokens,
});
