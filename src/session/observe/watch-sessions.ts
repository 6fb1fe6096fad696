import type { Clock, FolderWatcher } from "../../platform/index.ts";
import type { SessionListing } from "../../protocol/index.ts";
import type { SessionCatalog } from "../../store/index.ts";
import { createBell } from "./bell.ts";

export interface WatchPorts {
  readonly catalog: SessionCatalog;
  readonly watcher: FolderWatcher;
  /** The folder of doors. */
  readonly doors: string;
  readonly list: () => Promise<readonly SessionListing[]>;
  /** What else it may change with: rings then, and gives back how to stop. */
  readonly also?: ((ring: () => void) => () => void) | undefined;
  readonly clock: Clock;
}

/**
 * However much happens, the list is made anew at most this often, and takes a small part of the time; on a busy machine, where
 * everything takes long, it is not left out for longer than the last of these.
 */
const restMs = 250;
const restShare = 20;
const maxRestMs = 3000;
/** That sessions go on is no news: with nothing else to tell the list is given out at most this often. */
const sameMs = 5000;

/** The list now, and again whenever it is another one. */
export async function* watchSessions(
  { catalog, watcher, doors, list, also, clock }: WatchPorts,
  signal: AbortSignal,
): AsyncGenerator<readonly SessionListing[], void, undefined> {
  const bell = createBell();
  const followed = new Map<string, () => void>();
  const follow = (folders: readonly string[]) => {
    for (const [folder, stop] of followed) {
      if (folders.includes(folder)) continue;
      stop();
      followed.delete(folder);
    }
    for (const folder of folders) {
      if (!followed.has(folder)) followed.set(folder, watcher.followFolder(folder, bell.ring));
    }
  };
  const letGo = watcher.hold();
  const stop = also?.(bell.ring);
  let told = { all: "", news: "", at: -Infinity };
  try {
    while (!signal.aborted) {
      follow([doors, catalog.folder, ...catalog.projectFolders()]);
      const began = clock.monotonic();
      const sessions = await list();
      const took = clock.monotonic() - began;
      follow([doors, catalog.folder, ...catalog.projectFolders()]);
      const now = { all: JSON.stringify(sessions), news: newsIn(sessions), at: clock.monotonic() };
      if (now.news !== told.news || (now.all !== told.all && now.at - told.at >= sameMs)) {
        yield sessions;
        told = now;
      }
      await rest(Math.min(maxRestMs, Math.max(restMs, took * restShare)), signal);
      await bell.heard(signal);
    }
  } finally {
    stop?.();
    letGo();
    follow([]);
  }
}

/** Without when each was last at work, and the order that follows from that. */
const newsIn = (sessions: readonly SessionListing[]): string =>
  JSON.stringify(sessions.map((session) => ({ ...session, updatedAt: "" })).sort((a, b) => (a.id < b.id ? -1 : 1)));

function rest(ms: number, signal: AbortSignal): Promise<void> {
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
