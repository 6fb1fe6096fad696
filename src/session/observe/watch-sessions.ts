import type { Clock, FolderWatcher } from "../../platform/index.ts";
import type { SessionListing } from "../../protocol/index.ts";
import type { SessionCatalog } from "../../store/index.ts";
import { createCoalescedSignal } from "./coalesced-signal.ts";

export interface WatchPorts {
  readonly catalog: SessionCatalog;
  readonly watcher: FolderWatcher;
  /** The folder of doors. */
  readonly socketFolder: string;
  readonly list: () => Promise<readonly SessionListing[]>;
  /** What else it may change with: rings then, and gives back how to stop. */
  readonly followOthers?: ((notify: () => void) => () => void) | undefined;
  readonly clock: Clock;
}

/**
 * However much happens, the list is made anew at most this often, and takes a small part of the time; on a busy machine, where
 * everything takes long, it is not left out for longer than the last of these.
 */
const minIntervalMs = 250;
const intervalFactor = 20;
const maxRestMs = 3000;
/** That sessions go on is no news: with nothing else to tell the list is given out at most this often. */
const unchangedIntervalMs = 5000;

/** The list now, and again whenever it is another one. */
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

/** Without when each was last at work, and the order that follows from that. */
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
