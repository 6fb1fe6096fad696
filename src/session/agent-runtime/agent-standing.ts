import type { OrderSender } from "../../agent/index.ts";
import { type AgentPath, teamLead } from "../../protocol/index.ts";

/** The position of an agent among the others, for its texts and hooks. Its role decides it. */
export interface AgentStanding {
  /** Its name for hooks. */
  readonly name: string | undefined;
  /** Set for a teammate. */
  readonly team?: string | undefined;
  /** The agent that answers its questions. Undefined if that is the user. */
  readonly lead?: string | undefined;
  /** True if an agent of its session started it. */
  readonly isSubagent: boolean;
  readonly isLead: boolean;
  /** The senders whose messages a compaction keeps. */
  readonly orderSenders: readonly OrderSender[];
}

export const leadStanding: AgentStanding = {
  name: undefined,
  isSubagent: false,
  isLead: true,
  orderSenders: ["user"],
};

export const teammateStanding = ({ team, name }: { readonly team: string; readonly name: string }): AgentStanding => ({
  name,
  team,
  lead: teamLead,
  isSubagent: false,
  isLead: false,
  orderSenders: ["user", "lead"],
});

export const subagentStanding = (path: AgentPath): AgentStanding => ({
  name: path.split("/").at(-1),
  isSubagent: true,
  isLead: false,
  orderSenders: ["user", "agent"],
});
