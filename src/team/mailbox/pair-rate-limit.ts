import type { Clock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

/** Counts what one writes to another: two agents that answer each other for ever are stopped by it. */
export interface PairRateLimit {
  /** Throws with `mail` if it would be one too many within a minute; counts nothing then. */
  count(from: string, to: string): void;
  /** The last one was not sent after all. */
  uncount(from: string, to: string): void;
}

export function createPairRateLimit({
  clock,
  perMinute,
}: {
  readonly clock: Pick<Clock, "monotonic">;
  readonly perMinute: number;
}): PairRateLimit {
  const pairs = new Map<string, number[]>();

  return {
    count(from, to) {
      if (perMinute === Infinity) return;
      const key = keyOf(from, to);
      const now = clock.monotonic();
      const recent = pairs.get(key) ?? [];
      pairs.set(key, recent);
      // Only the last so many matter: the first of them says when the next one may go.
      const first = recent[recent.length - perMinute];
      if (first !== undefined && now - first < minute)
        throw rateLimitError({ from, to, perMinute, waitMs: minute - now + first });
      recent.push(now);
      if (recent.length > perMinute * 2) recent.splice(0, recent.length - perMinute);
    },
    uncount: (from, to) => void pairs.get(keyOf(from, to))?.pop(),
  };
}

const minute = 60_000;

const keyOf = (from: string, to: string) => `${from}\0${to}`;

function rateLimitError(facts: { from: string; to: string; perMinute: number; waitMs: number }): TroupeError {
  const { from, to, perMinute, waitMs } = facts;
  return new TroupeError(
    "mail",
    `${from} has sent ${to} ${perMinute} messages within a minute, and more are not taken for ${Math.ceil(waitMs / 1000)} s. ` +
      "Say several things in one message; if you only answer each other, stop.",
  );
}
