/** Holds any number of sources and returns the one with the oldest next item. */
export interface TimeHeap<T> {
  readonly size: number;
  push(source: T): void;
  pop(): T | undefined;
  /** The time of the next item of the source that `pop` would return. */
  readonly earliest: string | undefined;
}

/** `timeOf` returns the time of a source's next item. It must not change while the source is in the heap. */
export function createTimeHeap<T>(timeOf: (source: T) => string): TimeHeap<T> {
  const times: string[] = [];
  const sources: T[] = [];

  const swap = (a: number, b: number) => {
    [times[a], times[b]] = [times[b] as string, times[a] as string];
    [sources[a], sources[b]] = [sources[b] as T, sources[a] as T];
  };
  const isEarlier = (a: number, b: number) => (times[a] as string) < (times[b] as string);

  return {
    get size() {
      return sources.length;
    },
    get earliest() {
      return times[0];
    },
    push(source) {
      let at = sources.push(source) - 1;
      times.push(timeOf(source));
      for (let above = (at - 1) >> 1; at > 0 && isEarlier(at, above); above = (at - 1) >> 1) {
        swap(at, above);
        at = above;
      }
    },
    pop() {
      if (sources.length > 1) swap(0, sources.length - 1);
      const source = sources.pop();
      times.pop();
      for (let at = 0, below = 1; below < sources.length; below = 2 * at + 1) {
        if (below + 1 < sources.length && isEarlier(below + 1, below)) below += 1;
        if (!isEarlier(below, at)) break;
        swap(at, below);
        at = below;
      }
      return source;
    },
  };
}
