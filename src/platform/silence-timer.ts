import type { Clock } from "./clock.ts";

/** How long a peer has been silent. */
interface Silence {
  heard(): void;
  /** Call it every `everyMs`. */
  ms(): number;
}

/** A process that was stopped itself could not hear its peer. So the time between two calls counts for at most `everyMs`. */
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
