/** Something to wait at until it is rung; rung while nobody waits, it is heard by the next one who does. */
export interface Bell {
  ring(): void;
  /** Resolves when it is rung, or the signal aborts. */
  heard(signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let isRung = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    isRung = true;
    wake?.();
  };
  return {
    ring,
    async heard(signal) {
      if (!isRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", ring, { once: true });
        });
        wake = undefined;
        signal.removeEventListener("abort", ring);
      }
      isRung = false;
    },
  };
}
