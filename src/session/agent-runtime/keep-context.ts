import {
  keptInstructions,
  keptOrders,
  keptSkills,
  type KeepContext,
  type OngoingAgent,
  type OngoingTeam,
  ongoingWork,
} from "../../agent/index.ts";
import type { Knowledge } from "./agent-knowledge.ts";
import type { AgentStanding } from "./agent-standing.ts";
import type { BackgroundWork } from "./background-work.ts";

export interface KeepContextOptions {
  readonly standing: Pick<AgentStanding, "orderSenders">;
  readonly known: () => Knowledge;
  readonly background: Pick<BackgroundWork, "running">;
  readonly subagents?: (() => readonly OngoingAgent[]) | undefined;
  readonly ongoingWork?: (() => Promise<readonly OngoingTeam[]>) | undefined;
}

/** Returns the texts that stay around the summary of an agent's conversation. */
export function keepContext(options: KeepContextOptions): KeepContext {
  return async ({ keptFromTurn, room }) => {
    const { orders, skills, instructions } = options.known();
    const ongoing = ongoingWork({
      running: options.background.running(),
      subagents: options.subagents?.() ?? [],
      teams: (await options.ongoingWork?.()) ?? [],
    });
    const after = [
      ongoing,
      keptSkills(skills.replaced(keptFromTurn), room),
      keptInstructions(instructions.told(), room),
    ].filter((text) => text !== undefined);
    return {
      before: keptOrders(orders.replaced(keptFromTurn, options.standing.orderSenders), room),
      after: after.length === 0 ? undefined : after.join("\n\n"),
    };
  };
}
