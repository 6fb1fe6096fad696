/** Holds one state. A change that returns the same object causes no drawing. */
export interface Store<S> {
  getState(): S;
  /**
   * Notifies subscribers unless the change returns the same object. After a `quiet` change they are notified with the
   * next change that is not quiet. Use it for many changes at once when only the last is worth drawing.
   */
  setState(change: (previous: S) => S, options?: { readonly quiet?: boolean }): void;
  /** Called after each change; returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export interface StoreOptions<S> {
  /** The only place that reacts to changes, before the subscribers are notified. */
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
      // Two components may pass the same listener; each unsubscribes its own.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
