import type { Clock, FolderWatcher } from "../../platform/index.ts";
import type { SessionListing } from "../../protocol/index.ts";
import type { SessionCatalog } from "../../store/index.ts";
import { createCoalescedSignal } from "./coalesced-signal.ts";

export interface WatchPorts {
  readonly catalog: SessionCatalog;
  readonly watcher: FolderWatcher;
  /** The folder of session sockets. */
  readonly socketFolder: string;
  readonly list: () => Promise<readonly SessionListing[]>;
  /** Another source of changes: calls `notify` on a change and returns a function that stops it. */
  readonly followOthers?: ((notify: () => void) => () => void) | undefined;
  readonly clock: Clock;
}

/**
 * Limits how often the list is built. The pause is `minIntervalMs`, or `intervalFactor` times the last duration if that
 * is longer, up to `maxRestMs`.
 */
const minIntervalMs = 250;
const intervalFactor = 20;
const maxRestMs = 3000;
/** If only timestamps and their order change, the list is sent at most this often. */
const unchangedIntervalMs = 5000;

/** Yields the list now and after each change. */
export async function* watchSessions(
  { catalog, watcher, socketFolder, list, followOthers, clock }: WatchPorts,
  signal: AbortSignal,
): AsyncGenerator<readonly SessionListing[], void, undefined> {
  const changeSignal = createCoalescedSignal();
  const followed = new Map<string, () => void>();
  const follow = (folders: readonly string[]) => {
    for (const [folder, stop] of followed) {
      if (folders.includes(folder)) continue;
      stop();
      followed.delete(folder);
    }
    for (const folder of folders) {
      if (!followed.has(folder)) followed.set(folder, watcher.followFolder(folder, changeSignal.notify));
    }
  };
  const releaseWatcher = watcher.hold();
  const stop = followOthers?.(changeSignal.notify);
  let lastSent = { all: "", news: "", at: -Infinity };
  try {
    while (!signal.aborted) {
      follow([socketFolder, catalog.folder, ...catalog.projectFolders()]);
      const began = clock.monotonic();
      const sessions = await list();
      const took = clock.monotonic() - began;
      follow([socketFolder, catalog.folder, ...catalog.projectFolders()]);
      const now = { all: JSON.stringify(sessions), news: stableListing(sessions), at: clock.monotonic() };
      if (now.news !== lastSent.news || (now.all !== lastSent.all && now.at - lastSent.at >= unchangedIntervalMs)) {
        yield sessions;
        lastSent = now;
      }
      await pause(Math.min(maxRestMs, Math.max(minIntervalMs, took * intervalFactor)), signal);
      await changeSignal.wait(signal);
    }
  } finally {
    stop?.();
    releaseWatcher();
    follow([]);
  }
}

/** Ignores the times of last activity and the resulting order. */
const stableListing = (sessions: readonly SessionListing[]): string =>
  JSON.stringify(sessions.map((session) => ({ ...session, updatedAt: "" })).sort((a, b) => (a.id < b.id ? -1 : 1)));

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
