/** A signal to wait for. A notification without a waiter is kept for the next one; several are merged into one. */
export interface CoalescedSignal {
  notify(): void;
  /** Resolves after a notification, or when the signal aborts. */
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
