export interface FsyncBatcher {
  /** Runs one sync at a time. Callers that arrive during a sync share the next one, because it covers their writes. */
  sync(): Promise<void>;
  /** Resolves when the running sync and the waiting one have ended, with or without an error. */
  idle(): Promise<void>;
}

export function createFsyncBatcher(syncOnce: () => Promise<void>): FsyncBatcher {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const start = (): Promise<void> => {
    next = undefined;
    const result = syncOnce();
    const ended = () => {
      if (running === settled) running = undefined;
    };
    const settled: Promise<void> = result.then(ended, ended);
    running = settled;
    return result;
  };

  const sync = () => {
    if (running === undefined) return start();
    next ??= running.then(start);
    return next;
  };

  const idle = async (): Promise<void> => {
    // The callers of `sync` get the error.
    const last = next?.catch(() => undefined) ?? running;
    if (last === undefined) return;
    await last;
    return idle();
  };

  return { sync, idle };
}
