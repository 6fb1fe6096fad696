import { join } from "node:path";
import type { Ledger } from "../../agent/index.ts";
import { closeAll, createFolderWatcher, makeFolder, projectName } from "../../platform/index.ts";
import { createSharedLedger } from "../../team/index.ts";
import type { LeadSession } from "./open-shared-accounts.ts";

export interface SharedLedger {
  readonly path: string;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

/** Opens a ledger that members in other processes share. Undefined without a budget. */
export async function openLeadLedger(lead: LeadSession): Promise<SharedLedger | undefined> {
  const { config, opened, clock, createId } = lead;
  const budget = { maxBudgetUsd: config.maxBudgetUsd, maxTokens: config.limits.maxTokens };
  if (budget.maxBudgetUsd === undefined && budget.maxTokens === undefined) return undefined;
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
