import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Clock,
  closeAll,
  type CreateId,
  createFolderWatcher,
  projectName,
  storageError,
} from "../../platform/index.ts";
import type { LimitSettings } from "../../protocol/index.ts";
import { createSharedSlots, type SharedSlots } from "../../team/index.ts";
import type { LeadSession } from "./open-shared-accounts.ts";

/**
 * Limits the number of agents of a session and its members together. Nothing is created or opened before the first
 * agent starts.
 */
export function openLeadLimits({ config, opened, clock, createId }: LeadSession): SharedSlots {
  const path = join(config.home, "projects", projectName(config.cwd), opened.sessionId, "places.jsonl");
  return openSharedLimits(path, { settings: config.limits, makeFolder: () => makeFolderOf(path), clock, createId });
}

function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storageError("create the folder", dirname(path), error);
  }
}

/** Opens the shared limits as a member in another process, with the settings that its lead has stored. */
export function openSharedLimits(
  path: string,
  own: {
    readonly settings?: LimitSettings;
    readonly makeFolder?: () => void;
    readonly clock: Clock;
    readonly createId: CreateId;
  },
): SharedSlots {
  const watcher = createFolderWatcher();
  const limits = createSharedSlots({ ...own, path, watcher });
  const close = () => closeAll([() => limits.close(), () => watcher.close()]);
  return { ...limits, close };
}
