/** The items that wait for a follower, and the failure that ended their source. */
export interface BatchSource<T> {
  take(): readonly T[];
  failure(): { readonly error: unknown } | undefined;
  /** Registers the function to call after every change. */
  onChange(look: () => void): void;
}

/** Yields the waiting items in batches until the signal aborts. Throws the failure after the last batch. */
export async function* followBatches<T>(
  source: BatchSource<T>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[], void, undefined> {
  let wake: (() => void) | undefined;
  const look = () => wake?.();
  source.onChange(look);
  signal.addEventListener("abort", look);
  try {
    for (;;) {
      if (signal.aborted) return;
      const batch = source.take();
      const failure = source.failure();
      if (batch.length > 0) yield batch;
      else if (failure !== undefined) throw failure.error;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener("abort", look);
  }
}
