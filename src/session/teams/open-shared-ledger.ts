import { join } from "node:path";
import type { Ledger } from "../../agent/index.ts";
import {
  type Clock,
  closeAll,
  type CreateId,
  createFolderWatcher,
  makeFolder,
  projectName,
} from "../../platform/index.ts";
import type { OpenedSession } from "../../store/index.ts";
import { createSharedLedger } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";
import { areTeamsOn } from "./launch-flags.ts";

export interface SharedLedger {
  readonly path: string;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

/** Opens a ledger that members in other processes share. Undefined without a budget or a team. */
export async function openLeadLedger(parts: {
  readonly options: StartOptions;
  readonly config: Config;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
}): Promise<SharedLedger | undefined> {
  const { options, config, opened, clock, createId } = parts;
  const budget = { maxBudgetUsd: config.maxBudgetUsd, maxTokens: config.limits.maxTokens };
  const hasLed = opened.leadLog.replayed.some(({ event }) => event.type === "team.joined" && event.role === "lead");
  const isLimited = budget.maxBudgetUsd !== undefined || budget.maxTokens !== undefined;
  if (!isLimited || options.store || options.host?.memory || !(areTeamsOn(options, config) || hasLed)) return undefined;
  const folder = join(config.home, "projects", projectName(config.cwd), opened.sessionId);
  await makeFolder(folder);
  return openSharedLedger(join(folder, "spending.jsonl"), { budget, sessionId: opened.sessionId, clock, createId });
}

/** Opens the shared ledger as a member in another process. */
export function openSharedLedger(
  path: string,
  own: Pick<Parameters<typeof createSharedLedger>[0], "budget" | "sessionId" | "clock" | "createId">,
): SharedLedger {
  const watcher = createFolderWatcher();
  const ledger = createSharedLedger({ ...own, path, watcher });
  const close = () => closeAll([() => ledger.close(), () => watcher.close()]);
  return { path, ledger, close };
}
