import type { Ledger } from "../../agent/index.ts";
import type { createGateRegistry } from "../../model/index.ts";
import type { ModelClient, SessionId } from "../../protocol/index.ts";
import type { FunctionHooks } from "../hooks/function-hooks.ts";
import type { SharedSlots } from "../../team/index.ts";

/** Resources that a lead shares with teammates in the same process. */
export interface ProcessShared {
  readonly gates: ReturnType<typeof createGateRegistry>;
  readonly models: Map<string, Promise<ModelClient>>;
  readonly ledger: Ledger;
  /** Sessions whose previous spending is already in the ledger. */
  readonly counted: Set<SessionId>;
  /** Shared limits on the number of agents. Undefined if each session counts its own. */
  readonly limits?: SharedSlots | undefined;
  /** The hooks in code of the program that runs this process. */
  readonly hooks?: FunctionHooks | undefined;
  /** True if no user answers permission questions of this process. */
  readonly isUnattended?: boolean | undefined;
}
