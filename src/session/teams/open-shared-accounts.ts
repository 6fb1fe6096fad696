import { closeAll } from "../../platform/index.ts";
import type { SharedSlots } from "../../team/index.ts";
import { type SharedLedger, openLeadLedger } from "./open-shared-ledger.ts";
import { openLeadLimits } from "./open-shared-limits.ts";

/** The budget and the limits that a lead's session shares with members in other processes. */
export interface SharedAccounts {
  /** Undefined without a budget or a team. */
  readonly ledger?: SharedLedger | undefined;
  /** Undefined without a team. */
  readonly limits?: SharedSlots | undefined;
  close(): Promise<void>;
}

export async function openSharedAccounts(parts: Parameters<typeof openLeadLimits>[0]): Promise<SharedAccounts> {
  const ledger = await openLeadLedger(parts);
  const limits = openLeadLimits(parts);
  return { ledger, limits, close: () => closeAll([() => ledger?.close(), () => limits?.close()]) };
}
