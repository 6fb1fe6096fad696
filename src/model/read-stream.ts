export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Turns errors of the stream into a last value. Errors of the reader's own code pass through. */
export async function* readStream<T>(open: () => Promise<AsyncIterable<T>>): AsyncGenerator<Read<T>, void, undefined> {
  try {
    for await (const value of await open()) yield { ok: true, value };
  } catch (error) {
    yield { ok: false, error };
  }
}
