import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Clock, type CreateId, createFolderWatcher, projectName, storageError } from "../../platform/index.ts";
import type { LimitSettings } from "../../protocol/index.ts";
import type { OpenedSession } from "../../store/index.ts";
import { createSharedSlots, type SharedSlots } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";
import { areTeamsOn } from "./create-lead-role.ts";

/**
 * How many agents there may be, of a session together with those of its members; undefined where it leads no team.
 * Nothing is made or opened before the first of them is to begin.
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
  if (options.member || options.store || !(areTeamsOn(options, config) || hasLed)) return undefined;
  const path = join(config.home, "projects", projectName(config.cwd), opened.sessionId, "places.jsonl");
  return openSharedLimits(path, { settings: config.limits, makeFolder: () => makeFolderOf(path), clock, createId });
}

function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storageError("make the folder", dirname(path), error);
  }
}

/** The same as a member in a process of its own keeps them: with the settings that its lead has put down. */
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
  const close = async () => {
    await limits.close();
    watcher.close();
  };
  return { ...limits, close };
}
