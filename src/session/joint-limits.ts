import { join } from "node:path";
import { type Clock, type CreateId, createFolderWatcher, makeFolder, projectName } from "../platform/index.ts";
import type { LimitSettings } from "../protocol/index.ts";
import type { OpenedSession } from "../store/index.ts";
import { createTeamLimits, type TeamLimits } from "../team/index.ts";
import type { Config } from "./load-config.ts";
import type { StartOptions } from "./start-session.ts";
import { areTeamsOn } from "./teams-of.ts";

/** How many agents there may be, of a session together with those of its members; undefined where it leads no team. */
export async function jointLimits(parts: {
  readonly options: StartOptions;
  readonly config: Config;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
}): Promise<TeamLimits | undefined> {
  const { options, config, opened, clock, createId } = parts;
  const hasLed = opened.leadLog.replayed.some(({ event }) => event.type === "team.joined" && event.role === "lead");
  if (options.member || options.store || !(areTeamsOn(options, config) || hasLed)) return undefined;
  const folder = join(config.home, "projects", projectName(config.cwd), opened.sessionId);
  await makeFolder(folder);
  return openJointLimits(join(folder, "places.jsonl"), { settings: config.limits, clock, createId });
}

/** The same as a member in a process of its own keeps them: with the settings that its lead has put down. */
export function openJointLimits(
  path: string,
  own: { readonly settings?: LimitSettings; readonly clock: Clock; readonly createId: CreateId },
): TeamLimits {
  const watcher = createFolderWatcher();
  const limits = createTeamLimits({ ...own, path, watcher });
  const close = async () => {
    await limits.close();
    watcher.close();
  };
  return { ...limits, close };
}
