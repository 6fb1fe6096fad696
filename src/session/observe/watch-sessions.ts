import type { FolderWatcher } from "../../platform/index.ts";
import type { SessionListing } from "../../protocol/index.ts";
import type { SessionCatalog } from "../../store/index.ts";
import { createBell } from "./bell.ts";

export interface WatchPorts {
  readonly catalog: SessionCatalog;
  readonly watcher: FolderWatcher;
  /** The folder of doors. */
  readonly doors: string;
  readonly list: () => Promise<readonly SessionListing[]>;
}

/** However much happens, the list is made anew at most this often. */
const restMs = 250;

/** The list now, and again whenever it is another one. */
export async function* watchSessions(
  { catalog, watcher, doors, list }: WatchPorts,
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
  let before: string | undefined;
  try {
    while (!signal.aborted) {
      follow([doors, catalog.folder, ...catalog.projectFolders()]);
      const sessions = await list();
      follow([doors, catalog.folder, ...catalog.projectFolders()]);
      const text = JSON.stringify(sessions);
      if (text !== before) yield sessions;
      before = text;
      await rest(signal);
      await bell.heard(signal);
    }
  } finally {
    letGo();
    follow([]);
  }
}

function rest(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, restMs);
    signal.addEventListener("abort", done, { once: true });
  });
}
