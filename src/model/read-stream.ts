export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Turns what the other end throws into a last value, and leaves alone what the reader's own code throws. */
export async function* readStream<T>(open: () => Promise<AsyncIterable<T>>): AsyncGenerator<Read<T>, void, undefined> {
  try {
    for await (const value of await open()) yield { ok: true, value };
  } catch (error) {
    yield { ok: false, error };
  }
}
