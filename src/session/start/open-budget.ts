import { createLedger } from "../../agent/index.ts";
import type { Budget, SessionLog } from "../session-context.ts";
import type { StartContext } from "./start-context.ts";
import { openSharedAccounts } from "../teams/open-shared-accounts.ts";
import type { ProcessShared } from "../teams/process-shared.ts";

/** The budget, and what teammates need to share it. */
export interface OpenedBudget extends Budget {
  /** For teammates in this process. */
  readonly shared: ProcessShared;
  /** The files for teammates in other processes. */
  readonly files: { readonly ledger?: string | undefined; readonly places?: string | undefined };
}

export interface OpenBudgetOptions extends StartContext {
  readonly log: SessionLog;
  readonly process: Pick<ProcessShared, "gates" | "models">;
}

export async function openBudget(from: OpenBudgetOptions): Promise<OpenedBudget> {
  const { config, options, log } = from;
  const { opened } = log;
  const accounts = options.shared ? undefined : await openSharedAccounts({ ...from.host, config, opened }, options);
  if (accounts) from.cleanup.add(accounts.close);
  const shared: ProcessShared = options.shared ?? {
    ...from.process,
    ledger:
      accounts?.ledger?.ledger ??
      createLedger({ maxBudgetUsd: config.maxBudgetUsd, maxTokens: config.limits.maxTokens }),
    counted: new Set(),
    limits: accounts?.limits,
    isUnattended: options.asker === "nobody",
    hooks: options.hooks,
  };
  const isCounted = shared.counted.has(opened.sessionId);
  shared.counted.add(opened.sessionId);
  return {
    ledger: shared.ledger,
    isCounted,
    slots: options.teammate?.slots ?? accounts?.limits?.forSession({ sessionId: opened.sessionId }),
    shared,
    files: { ledger: accounts?.ledger?.path, places: accounts?.limits?.path },
  };
}
