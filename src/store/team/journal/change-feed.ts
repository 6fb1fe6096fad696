/** Delivers the changes of one journal to its followers. */
export interface ChangeFeed<Change> {
  push(change: Change): void;
  /** Delivers changes from now on. Keeps the process alive while a caller waits. */
  follow(signal: AbortSignal): AsyncIterable<Change>;
  /** Ends all followers with this error. */
  fail(error: unknown): void;
  /** Ends all followers. */
  close(): void;
}

export function createChangeFeed<Change>(options: {
  /** Active while there are followers. Calls `onHint` when there may be something new. */
  readonly watch: (onHint: () => void) => () => void;
  /** Active while a caller waits. */
  readonly hold: () => () => void;
  /** Reads the journal further and pushes the changes. */
  readonly refresh: () => void;
}): ChangeFeed<Change> {
  const { watch, hold, refresh } = options;
  const followers = new Set<Follower<Change>>();
  let stopWatching: (() => void) | undefined;

  const onHint = () => {
    try {
      refresh();
    } catch (error) {
      fail(error);
    }
  };

  const fail = (error: unknown) => {
    for (const follower of followers) end(follower, error);
  };

  const follow = (signal: AbortSignal): AsyncIterable<Change> => {
    const follower: Follower<Change> = { queue: [], isOver: signal.aborted, failure: undefined, wake: undefined };
    if (follower.isOver) return drain(follower);
    refresh();
    followers.add(follower);
    stopWatching ??= watch(onHint);
    const onAbort = () => end(follower, undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    return drain(follower, () => signal.removeEventListener("abort", onAbort));
  };

  async function* drain(follower: Follower<Change>, release?: () => void): AsyncGenerator<Change> {
    try {
      for (;;) {
        yield* follower.queue.splice(0);
        if (follower.queue.length > 0) continue;
        if (follower.failure !== undefined) throw follower.failure;
        if (follower.isOver) return;
        const unfollow = hold();
        await new Promise<void>((resolve) => {
          follower.wake = resolve;
        }).finally(unfollow);
      }
    } finally {
      release?.();
      end(follower, undefined);
    }
  }

  const end = (follower: Follower<Change>, failure: unknown) => {
    follower.isOver = true;
    follower.failure ??= failure;
    follower.wake?.();
    if (!followers.delete(follower) || followers.size > 0) return;
    stopWatching?.();
    stopWatching = undefined;
  };

  return {
    push: (change) => {
      for (const follower of followers) {
        follower.queue.push(change);
        follower.wake?.();
      }
    },
    follow,
    fail,
    close: () => {
      for (const follower of followers) end(follower, undefined);
    },
  };
}

interface Follower<Change> {
  readonly queue: Change[];
  isOver: boolean;
  failure: unknown;
  wake: (() => void) | undefined;
}
