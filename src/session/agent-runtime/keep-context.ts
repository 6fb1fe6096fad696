import {
  keptInstructions,
  keptOrders,
  keptSkills,
  type KeepContext,
  type OngoingAgent,
  type OngoingTeam,
  ongoingWork,
  type OrderSender,
} from "../../agent/index.ts";
import { type AgentPath, leadPath } from "../../protocol/index.ts";
import type { Knowledge } from "./agent-knowledge.ts";
import type { BackgroundWork } from "./background-work.ts";

export interface KeepContextOptions {
  readonly path: AgentPath;
  /** Set for a teammate. */
  readonly member?: object | undefined;
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
      before: keptOrders(orders.replaced(keptFromTurn, sendersTo(options)), room),
      after: after.length === 0 ? undefined : after.join("\n\n"),
    };
  };
}

function sendersTo({ path, member }: KeepContextOptions): readonly OrderSender[] {
  if (member) return ["user", "lead"];
  return path === leadPath ? ["user"] : ["user", "agent"];
}
