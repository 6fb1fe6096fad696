import { join } from "node:path";
import type { Ledger } from "../agent/index.ts";
import { type Clock, type CreateId, createFolderWatcher, makeFolder, projectName } from "../platform/index.ts";
import type { OpenedSession } from "../store/index.ts";
import { createTeamLedger } from "../team/index.ts";
import type { Config } from "./load-config.ts";
import type { StartOptions } from "./start-session.ts";
import { areTeamsOn } from "./teams-of.ts";

export interface JointLedger {
  readonly path: string;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

/** A ledger that members in other processes spend from as well; undefined where there is no budget to keep, or no team. */
export async function jointLedger(parts: {
  readonly options: StartOptions;
  readonly config: Config;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
}): Promise<JointLedger | undefined> {
  const { options, config, opened, clock, createId } = parts;
  const budget = { maxBudgetUsd: config.maxBudgetUsd, maxTokens: config.limits.maxTokens };
  const hasLed = opened.leadLog.replayed.some(({ event }) => event.type === "team.joined" && event.role === "lead");
  const isLimited = budget.maxBudgetUsd !== undefined || budget.maxTokens !== undefined;
  if (!isLimited || options.store || !(areTeamsOn(options, config) || hasLed)) return undefined;
  const folder = join(config.home, "projects", projectName(config.cwd), opened.sessionId);
  await makeFolder(folder);
  return openJointLedger(join(folder, "spending.jsonl"), { budget, who: opened.sessionId, clock, createId });
}

/** The same as a member in a process of its own takes part in it. */
export function openJointLedger(
  path: string,
  own: Pick<Parameters<typeof createTeamLedger>[0], "budget" | "who" | "clock" | "createId">,
): JointLedger {
  const watcher = createFolderWatcher();
  const ledger = createTeamLedger({ ...own, path, watcher });
  const close = async () => {
    await ledger.close();
    watcher.close();
  };
  return { path, ledger, close };
}
