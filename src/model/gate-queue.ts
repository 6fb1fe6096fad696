export interface GateLimits {
  /** How many requests may be under way before anything is known about the account. */
  readonly start: number;
  readonly max: number;
}

export type TicketResult = "ok" | "rate_limited" | "overloaded" | "failed" | "abandoned";

interface Waiter {
  readonly agentPath: string;
  readonly order: number;
  /** Fair share: each agent's requests count up one by one, so nobody's tenth goes before another's first. */
  readonly share: number;
}

/**
 * Who may go next, without clocks or promises: times are passed in. The width grows by one with every success until the
 * first refusal, and by one per full round after it; it halves when the account refuses. The lead goes first, but never
 * more than a few times in a row while others wait.
 */
export class GateQueue {
  readonly #max: number;
  readonly #waiting = new Set<Waiter>();
  /** What is under way, and in which round it set out. */
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

  /** Everybody who may go now, in order; from here on they are under way. */
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

  /** The end of a request, or of waiting for one. `waitMs` is how long the account asked everybody to stay away. */
  leave(entry: object, outcome: { result: TicketResult; now: number; waitMs?: number | undefined }): void {
    if (this.#waiting.delete(entry as Waiter)) return;
    const round = this.#underway.get(entry);
    if (round === undefined) return;
    this.#underway.delete(entry);
    const { result, now, waitMs } = outcome;
    if (result === "ok") this.#width = Math.min(this.#max, this.#width + (this.#round === 0 ? 1 : 1 / this.#width));
    if (result !== "rate_limited" && result !== "overloaded") return;
    // Requests that set out together are refused together: that is one refusal, not many.
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
    if (!next) throw new Error("picked from an empty gate");
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
