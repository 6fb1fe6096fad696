import type { Clock } from "./clock.ts";

/** How long somebody was not heard. */
interface Silence {
  heard(): void;
  /** To be asked every `everyMs`. */
  ms(): number;
}

/** A process that was stopped for a while heard nobody. So the time between two questions counts for `everyMs` at most. */
export function createSilence(clock: Pick<Clock, "monotonic">, everyMs: number): Silence {
  let silentMs = 0;
  let asked = clock.monotonic();
  return {
    heard() {
      silentMs = 0;
      asked = clock.monotonic();
    },
    ms() {
      const now = clock.monotonic();
      silentMs += Math.min(now - asked, everyMs);
      asked = now;
      return silentMs;
    },
  };
}
