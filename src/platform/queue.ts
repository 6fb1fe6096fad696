/** An async iterable with a `push` method, which connects callbacks to a `for await` loop. One reader. */
export interface Queue<T> extends AsyncIterable<T> {
  push(value: T): void;
  end(): void;
}

export function createQueue<T>(): Queue<T> {
  let values: T[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push(value) {
      values.push(value);
      notify();
    },
    end() {
      ended = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const ready = values;
        values = [];
        yield* ready;
        if (values.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
