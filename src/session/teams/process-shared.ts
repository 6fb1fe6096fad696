import type { Ledger } from "../../agent/index.ts";
import type { createGateRegistry } from "../../model/index.ts";
import type { ModelClient, SessionId } from "../../protocol/index.ts";
import type { SharedSlots } from "../../team/index.ts";

/** What members of a team have in common with their lead where they run in its process. */
export interface ProcessShared {
  readonly gates: ReturnType<typeof createGateRegistry>;
  readonly models: Map<string, Promise<ModelClient>>;
  readonly ledger: Ledger;
  /** Sessions whose earlier spending the ledger knows already. */
  readonly counted: Set<SessionId>;
  /** How many agents there may be of all of them; undefined where each counts its own. */
  readonly limits?: SharedSlots | undefined;
}
