import { useRef, useState } from "react";

export interface LiveState<S> {
  /** Returns the current value, even before it is drawn. */
  get(): S;
  set(change: (before: S) => S): void;
}

/**
 * State for components whose keys can arrive faster than drawing: the second key must see the effect of the first.
 * `useState` shows a handler only the last drawn state.
 */
export function useLiveState<S>(initial: S): LiveState<S> {
  const state = useRef(initial);
  const [, redraw] = useState(0);
  const live = useRef<LiveState<S>>(undefined);
  live.current ??= {
    get: () => state.current,
    set(change) {
      const next = change(state.current);
      if (Object.is(next, state.current)) return;
      state.current = next;
      redraw((count) => count + 1);
    },
  };
  return live.current;
}
