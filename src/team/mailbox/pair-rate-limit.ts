import type { Clock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

/** Limits how often one member writes to another. This stops two agents that answer each other forever. */
export interface PairRateLimit {
  /** Throws `mail` and counts nothing if it exceeds the limit per minute. */
  count(from: string, to: string): void;
  /** Uncounts the last message, which was not sent. */
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
      // Only the last `perMinute` entries matter. The first of them decides when the next may be sent.
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
    `${from} sent ${to} ${perMinute} messages within a minute. Wait ${Math.ceil(waitMs / 1000)} s before the next.` +
      " Combine several messages into one. If you only answer each other, stop.",
  );
}
