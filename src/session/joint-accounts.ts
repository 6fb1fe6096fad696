import { closeAll } from "../platform/index.ts";
import type { SharedSlots } from "../team/index.ts";
import { type JointLedger, jointLedger } from "./joint-ledger.ts";
import { jointLimits } from "./joint-limits.ts";

/** What a session that leads teams keeps together with members in other processes. */
export interface JointAccounts {
  /** Undefined where there is no budget to keep, or no team. */
  readonly ledger?: JointLedger | undefined;
  /** Undefined where there is no team. */
  readonly limits?: SharedSlots | undefined;
  close(): Promise<void>;
}

export async function openJointAccounts(parts: Parameters<typeof jointLimits>[0]): Promise<JointAccounts> {
  const ledger = await jointLedger(parts);
  const limits = jointLimits(parts);
  return { ledger, limits, close: () => closeAll([() => ledger?.close(), () => limits?.close()]) };
}
