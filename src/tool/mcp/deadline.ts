/**
 * The time limit of a call. Progress from the server extends it, up to a maximum. It is paused while the user is asked.
 */
export interface Deadline {
  readonly signal: AbortSignal;
  touch(): void;
  pause(): () => void;
  clear(): void;
}

const maxTimes = 10;

export function createDeadline(ms: number, reason: () => Error): Deadline {
  const abort = new AbortController();
  const latest = performance.now() + ms * maxTimes;
  let paused = 0;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    clearTimeout(timer);
    if (paused > 0 || abort.signal.aborted) return;
    timer = setTimeout(() => abort.abort(reason()), Math.max(0, Math.min(ms, latest - performance.now())));
  };
  arm();
  return {
    signal: abort.signal,
    touch: arm,
    pause() {
      paused += 1;
      arm();
      let over = false;
      return () => {
        if (over) return;
        over = true;
        paused -= 1;
        arm();
      };
    },
    clear() {
      paused = Infinity;
      clearTimeout(timer);
    },
  };
}
