import { type Clock, systemClock } from "../../../src/platform/index.ts";

/** A clock whose sleeps end at once, and whose time advances as if they had not. A wait for a deadline takes no time. */
export function clockWithoutWaits(): Clock {
  let skipped = 0;
  return {
    now: () => systemClock.now() + skipped,
    monotonic: () => systemClock.monotonic() + skipped,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      skipped += ms;
    },
  };
}
