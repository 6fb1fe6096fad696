/** The items until there are no more or `signal` aborts: the one that is still to come is not waited for. */
export async function* iterateUntilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  for (;;) {
    const next = await undefinedOnAbort(iterator.next(), signal);
    if (next === undefined || next.done) return;
    yield next.value;
  }
}

/** Undefined as soon as `signal` aborts; what becomes of the promise is nobody's any more then. */
export function undefinedOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
