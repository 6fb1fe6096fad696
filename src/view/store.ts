/** Holds one state. Whoever gets the same object back from a change has nothing to draw. */
export interface Store<S> {
  getState(): S;
  /**
   * Nobody is told if the change gives back what it was given. Of one that is `quiet` those who subscribe hear with the next
   * one that is not: for much that comes at once, of which only the end is worth drawing.
   */
  setState(change: (previous: S) => S, options?: { readonly quiet?: boolean }): void;
  /** Called after each change; gives back how to stop that. */
  subscribe(listener: () => void): () => void;
}

export interface StoreOptions<S> {
  /** The one place that reacts to changes, before those who draw hear of them. */
  readonly onChange?: ((change: { readonly previous: S; readonly next: S }) => void) | undefined;
}

export function createStore<S>(initial: S, { onChange }: StoreOptions<S> = {}): Store<S> {
  const listeners = new Set<() => void>();
  let state = initial;
  return {
    getState: () => state,
    setState(change, { quiet = false } = {}) {
      const previous = state;
      state = change(previous);
      if (Object.is(state, previous)) return;
      onChange?.({ previous, next: state });
      if (quiet) return;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      // One listener may be given twice, by two that draw: each ends its own.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
