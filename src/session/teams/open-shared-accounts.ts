import { type Clock, closeAll, type CreateId } from "../../platform/index.ts";
import type { OpenedSession } from "../../store/index.ts";
import type { SharedSlots } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";
import { areTeamsOn } from "./launch-flags.ts";
import { type SharedLedger, openLeadLedger } from "./open-shared-ledger.ts";
import { openLeadLimits } from "./open-shared-limits.ts";

/** The budget and the limits that a lead's session shares with members in other processes. */
export interface SharedAccounts {
  /** Undefined without a budget. */
  readonly ledger: SharedLedger | undefined;
  readonly limits: SharedSlots;
  close(): Promise<void>;
}

/** The session that leads. */
export interface LeadSession {
  readonly config: Config;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Undefined if the session leads no team. */
export async function openSharedAccounts(
  lead: LeadSession,
  options: Pick<StartOptions, "flags" | "store" | "host">,
): Promise<SharedAccounts | undefined> {
  const { replayed } = lead.opened.leadLog;
  const hasLed = replayed.some(({ event }) => event.type === "team.joined" && event.role === "lead");
  if (options.store || options.host?.memory || !(areTeamsOn(options, lead.config, { coordinates: false }) || hasLed))
    return undefined;
  const ledger = await openLeadLedger(lead);
  const limits = openLeadLimits(lead);
  return { ledger, limits, close: () => closeAll([() => ledger?.close(), () => limits.close()]) };
}
