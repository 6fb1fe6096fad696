/** The time on the bus servers, estimated from when messages were stored there and when they arrived here. */
export interface ServerTime {
  observe(storedAt: number): void;
  now(): number;
}

/**
 * A message arrives after it was stored, never before, so the greatest recent difference is the closest. Old
 * differences expire, since the server clock may be set back.
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
