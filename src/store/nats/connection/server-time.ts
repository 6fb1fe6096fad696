/** What time it is on the servers of the bus, told by when messages were stored there and when they came here. */
export interface ServerTime {
  observe(storedAt: number): void;
  now(): number;
}

/**
 * A message comes after it was stored, never before: of all differences seen lately the greatest is the nearest. None is
 * kept for ever, since the clock there may be set back.
 */
export function createServerTime(uptime: () => number): ServerTime {
  let current = { since: uptime(), ahead: Number.NEGATIVE_INFINITY };
  let before = Number.NEGATIVE_INFINITY;
  return {
    observe(storedAt) {
      const at = uptime();
      if (at - current.since > windowMs) {
        before = current.ahead;
        current = { since: at, ahead: Number.NEGATIVE_INFINITY };
      }
      current.ahead = Math.max(current.ahead, storedAt - at);
    },
    now: () => uptime() + Math.max(current.ahead, before),
  };
}

const windowMs = 30_000;
