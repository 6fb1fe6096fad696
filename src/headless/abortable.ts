/** Yields the items until the end, or until `signal` aborts. Does not wait for a pending item after an abort. */
export async function* iterateUntilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  for (;;) {
    const next = await undefinedOnAbort(iterator.next(), signal);
    if (next === undefined || next.done) return;
    yield next.value;
  }
}

/** Resolves to undefined as soon as `signal` aborts. The promise is ignored after that. */
export function undefinedOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
