import type { AppState, Store } from "../view/index.ts";

export interface Frames {
  /** The state as drawn. */
  getState(): AppState;
  subscribe(listener: () => void): () => void;
  /** Draws the next frame even if the state did not change. */
  request(): void;
  /** Draws pending changes now. */
  flush(): void;
  /** Draws now, even if the state did not change. */
  redraw(): void;
  stop(): void;
}

export interface FramesOptions {
  readonly store: Store<AppState>;
  /** Called before the components are notified. */
  readonly before: (state: AppState) => void;
  readonly frameMs?: number;
}

/** Limits drawing to one update in each frame, however fast events arrive. */
export function createFrames({ store, before, frameMs = 34 }: FramesOptions): Frames {
  const listeners = new Set<() => void>();
  let shown = store.getState();
  let timer: NodeJS.Timeout | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;

  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    drawnAt = performance.now();
    shown = store.getState();
    before(shown);
    for (const listener of Array.from(listeners)) listener();
  };
  const request = () => {
    timer ??= setTimeout(draw, Math.max(0, drawnAt + frameMs - performance.now()));
  };
  const stop = store.subscribe(request);
  before(shown);
  return {
    getState: () => shown,
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    request,
    flush() {
      if (store.getState() !== shown) draw();
    },
    redraw: draw,
    stop() {
      stop();
      clearTimeout(timer);
    },
  };
}
