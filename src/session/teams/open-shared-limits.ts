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
import type { OpenedSession } from "../../store/index.ts";
import { createSharedSlots, type SharedSlots } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";
import { areTeamsOn } from "./launch-flags.ts";

/**
 * Limits the number of agents of a session and its members together. Undefined if the session leads no team. Nothing is
 * created or opened before the first agent starts.
 */
export function openLeadLimits(parts: {
  readonly options: StartOptions;
  readonly config: Config;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
}): SharedSlots | undefined {
  const { options, config, opened, clock, createId } = parts;
  const hasLed = opened.leadLog.replayed.some(({ event }) => event.type === "team.joined" && event.role === "lead");
  if (options.member || options.store || options.host?.memory || !(areTeamsOn(options, config) || hasLed))
    return undefined;
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
