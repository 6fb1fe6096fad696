import { closeAll } from "./close-all.ts";

/** Collects what must be closed. Closes the newest first, each once, even if some fail. */
export interface Cleanup {
  /** Adds a step. The returned function runs it early, and then `close` does not run it again. */
  add(step: () => unknown): () => Promise<void>;
  close(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const steps: (() => Promise<void>)[] = [];
  return {
    add(step) {
      let done: Promise<void> | undefined;
      const once = () => (done ??= (async () => void (await step()))());
      steps.push(once);
      return once;
    },
    close: () => closeAll(steps.splice(0).toReversed()),
  };
}
