/** Runs actions one after another, in the order of the calls. A failed action does not stop the next one. */
export interface SerialQueue {
  run<T>(action: () => Promise<T>): Promise<T>;
  /** Resolves when no action is left. Never rejects. */
  settled(): Promise<void>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(action) {
      const result = last.then(action);
      last = result.catch(() => undefined);
      return result;
    },
    settled: async () => void (await last),
  };
}
