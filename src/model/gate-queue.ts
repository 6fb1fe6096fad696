export interface GateLimits {
  /** The number of concurrent requests before anything is known about the account. */
  readonly start: number;
  readonly max: number;
}

export type TicketResult = "ok" | "rate_limited" | "overloaded" | "failed" | "abandoned";

interface Waiter {
  readonly agentPath: string;
  readonly order: number;
  /**
   * Fair share: an agent's requests count up one by one, so the tenth of one agent never goes before the first of
   * another.
   */
  readonly share: number;
}

/**
 * Decides which request goes next. It uses no clock and no promises: callers pass the time. The width grows by one with
 * every success until the first refusal, and by one per full round after it. A refusal halves it. The lead goes first,
 * but at most a few times in a row while others wait.
 */
export class GateQueue {
  readonly #max: number;
  readonly #waiting = new Set<Waiter>();
  /** Requests in flight, each with the round in which it started. */
  readonly #underway = new Map<object, number>();
  readonly #lastShare = new Map<string, number>();
  #width: number;
  #round = 0;
  #order = 0;
  #served = 0;
  #leadStreak = 0;
  #pausedUntil = 0;

  constructor(limits: GateLimits) {
    this.#width = limits.start;
    this.#max = limits.max;
  }

  get width(): number {
    return Math.floor(this.#width);
  }
  get inFlight(): number {
    return this.#underway.size;
  }
  get waiting(): number {
    return this.#waiting.size;
  }
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  enter(agentPath: string): object {
    const share = Math.max(this.#served, this.#lastShare.get(agentPath) ?? 0) + 1;
    const waiter: Waiter = { agentPath, order: this.#order++, share };
    this.#lastShare.set(agentPath, share);
    this.#waiting.add(waiter);
    return waiter;
  }

  /** Admits every request that may go now, in order, and counts it as in flight. */
  admit(now: number): object[] {
    const admitted: object[] = [];
    while (now >= this.#pausedUntil && this.inFlight < this.width && this.#waiting.size > 0) {
      const next = this.#pick();
      this.#waiting.delete(next);
      this.#underway.set(next, this.#round);
      this.#served = Math.max(this.#served, next.share);
      admitted.push(next);
    }
    if (this.#waiting.size === 0) this.#lastShare.clear();
    return admitted;
  }

  /** Ends a request, or removes one that waits. `waitMs` is the pause that the account asked for. */
  leave(entry: object, outcome: { result: TicketResult; now: number; waitMs?: number | undefined }): void {
    if (this.#waiting.delete(entry as Waiter)) return;
    const round = this.#underway.get(entry);
    if (round === undefined) return;
    this.#underway.delete(entry);
    const { result, now, waitMs } = outcome;
    if (result === "ok") this.#width = Math.min(this.#max, this.#width + (this.#round === 0 ? 1 : 1 / this.#width));
    if (result !== "rate_limited" && result !== "overloaded") return;
    // Requests that started together are refused together. That counts as one refusal.
    if (round === this.#round) {
      this.#width = Math.max(1, this.#width / 2);
      this.#round++;
    }
    if (result === "rate_limited") this.#pausedUntil = Math.max(this.#pausedUntil, now + (waitMs ?? 1000));
  }

  #pick(): Waiter {
    const leads = this.#first((waiter) => isLead(waiter));
    const others = this.#first((waiter) => !isLead(waiter));
    const next = leads && (!others || this.#leadStreak < longestLeadStreak) ? leads : (others ?? leads);
    if (!next) throw new Error("cannot pick from an empty gate");
    this.#leadStreak = isLead(next) ? this.#leadStreak + 1 : 0;
    return next;
  }

  #first(admits: (waiter: Waiter) => boolean): Waiter | undefined {
    let best: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (!admits(waiter)) continue;
      if (!best || waiter.share < best.share || (waiter.share === best.share && waiter.order < best.order))
        best = waiter;
    }
    return best;
  }
}

const longestLeadStreak = 4;

const isLead = (waiter: Waiter) => !waiter.agentPath.includes("/");
