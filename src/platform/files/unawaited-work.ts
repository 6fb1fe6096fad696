import { messageOf } from "../../protocol/index.ts";

/** Work that continues after its caller was answered. Its first failure is reported at once, and thrown later. */
export function createUnawaitedWork(onFailure?: (message: string) => void) {
  const running = new Set<Promise<void>>();
  let failure: unknown;
  const fail = (error: unknown) => {
    if (failure === undefined) onFailure?.(messageOf(error));
    failure ??= error;
  };
  return {
    fail,
    run(work: Promise<void>) {
      const ended = work.catch(fail).finally(() => running.delete(ended));
      running.add(ended);
    },
    /** Throws the failure, if there is one, and forgets it. */
    throwFailure() {
      if (failure === undefined) return;
      const thrown = failure;
      failure = undefined;
      throw thrown;
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
