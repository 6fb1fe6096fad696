import { createFolderWatcher, readLines } from "../../src/platform/index.ts";
import { StoredEnvelope } from "../../src/protocol/index.ts";

/**
 * Yields the past and future events of an agent's log, in whatever process the agent runs. Ends when the signal aborts.
 */
export async function* followLog(path: string, signal: AbortSignal): AsyncIterable<StoredEnvelope> {
  const watcher = createFolderWatcher();
  let wake: () => void = () => undefined;
  let hinted = true;
  const hint = () => {
    hinted = true;
    wake();
  };
  const stop = watcher.follow(path, hint);
  signal.addEventListener("abort", hint, { once: true });
  try {
    for (let offset = 0; !signal.aborted; ) {
      if (!hinted) await new Promise<void>((resolve) => (wake = resolve));
      hinted = false;
      const { records, nextOffset } = readLines(path, offset);
      offset = nextOffset;
      for (const { value } of records) {
        const envelope = StoredEnvelope.safeParse(value);
        if (envelope.success) yield envelope.data;
      }
    }
  } finally {
    signal.removeEventListener("abort", hint);
    stop();
    watcher.close();
  }
}
