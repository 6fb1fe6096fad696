import type { Ack, Command } from "../../../src/protocol/index.ts";
import type { DashboardState } from "./dashboard-state.ts";

/** Why a command was refused, for people. A late answer names the answer that came first. */
export function refusalText(
  { folds }: Pick<DashboardState, "folds">,
  command: Command,
  ack: Extract<Ack, { ok: false }>,
): string {
  if (command.type !== "permission.reply" || ack.code !== "no_such_request") return ack.message;
  for (const { answers } of folds.values()) {
    const found = answers.answered.find(({ question }) => question.requestId === command.requestId);
    if (found)
      return `Already answered: ${found.answer.behavior === "allow" ? "allowed" : "denied"}, in another window.`;
  }
  return "Already answered, in another window.";
}
