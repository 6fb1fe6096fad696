import { closeAll } from "../../platform/index.ts";
import type { SharedSlots } from "../../team/index.ts";
import { type SharedLedger, openLeadLedger } from "./open-shared-ledger.ts";
import { openLeadLimits } from "./open-shared-limits.ts";

/** What a session that leads teams keeps together with members in other processes. */
export interface SharedAccounts {
  /** Undefined where there is no budget to keep, or no team. */
  readonly ledger?: SharedLedger | undefined;
  /** Undefined where there is no team. */
  readonly limits?: SharedSlots | undefined;
  close(): Promise<void>;
}

export async function openSharedAccounts(parts: Parameters<typeof openLeadLimits>[0]): Promise<SharedAccounts> {
  const ledger = await openLeadLedger(parts);
  const limits = openLeadLimits(parts);
  return { ledger, limits, close: () => closeAll([() => ledger?.close(), () => limits?.close()]) };
}
