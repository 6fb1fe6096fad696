export interface FsyncBatcher {
  /** One sync at a time: those who ask while one runs wait for the next, together, since it covers what they wrote. */
  sync(): Promise<void>;
  /** Resolves when the one that is running, and the one that waits for it, have ended, well or not. */
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
    // How it ends is told to those who asked for it.
    const last = next?.catch(() => undefined) ?? running;
    if (last === undefined) return;
    await last;
    return idle();
  };

  return { sync, idle };
}
