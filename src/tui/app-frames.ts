import type { AppState, Store } from "../view/index.ts";

export interface Frames {
  /** The state as it is drawn. */
  getState(): AppState;
  subscribe(listener: () => void): () => void;
  /** Draws in the next frame, even if the state is the same. */
  request(): void;
  /** Draws what is new now. */
  flush(): void;
  /** Draws even if the state is the same. */
  redraw(): void;
  stop(): void;
}

export interface FramesOptions {
  readonly store: Store<AppState>;
  /** Called before those who draw are told. */
  readonly before: (state: AppState) => void;
  readonly frameMs?: number;
}

/** Events come as fast as they like; what is drawn changes at most once in a frame. */
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
