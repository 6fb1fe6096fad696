/** Something to wait at until it is rung; rung while nobody waits, it is heard by the next one who does. */
export interface CoalescedSignal {
  notify(): void;
  /** Resolves when it is rung, or the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createCoalescedSignal(): CoalescedSignal {
  let isPending = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    isPending = true;
    wake?.();
  };
  return {
    notify,
    async wait(signal) {
      if (!isPending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", notify, { once: true });
        });
        wake = undefined;
        signal.removeEventListener("abort", notify);
      }
      isPending = false;
    },
  };
}
