import { useRef, useState } from "react";

export interface LiveState<S> {
  /** As it is this moment, also between a change and the drawing of it. */
  get(): S;
  set(change: (before: S) => S): void;
}

/**
 * State of a component whose keys can come faster than it is drawn: of two keys in one piece of input the second has to meet
 * what the first has made. `useState` shows a handler what was drawn last.
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
