import type { RunRecord } from "../world/run-scenario.ts";
import type { Fault } from "./agent-log.ts";
import { checkConversations } from "./check-conversation.ts";
import { checkHeard } from "./check-heard.ts";
import { checkDelivery, checkFold, checkOnce, checkResult } from "./check-once.ts";
import { checkOpenWork } from "./check-open-work.ts";
import { checkOwners } from "./check-owners.ts";
import { checkBudget, checkRights } from "./check-rights.ts";
import { checkStalls } from "./check-stalls.ts";
import { checkWakes } from "./check-wakes.ts";
import { checkWorktrees } from "./check-worktrees.ts";

/** Checks a run by all rules. Returns the faults by time. */
export function checkRun(record: RunRecord): readonly Fault[] {
  const faults = [
    ...checkEnd(record),
    ...checkWakes(record),
    ...checkHeard(record),
    ...checkStalls(record),
    ...checkOwners(record),
    ...checkRights(record),
    ...checkBudget(record),
    ...checkOnce(record),
    ...checkDelivery(record),
    ...checkResult(record),
    ...checkFold(record),
    ...checkConversations(record),
    ...checkOpenWork(record),
    ...checkWorktrees(record),
  ];
  return faults.sort((a, b) => a.at - b.at);
}

function checkEnd({ end, virtualMs, requests }: RunRecord): Fault[] {
  if (end === "done") return [];
  if (typeof end === "object") {
    const error = end.error instanceof Error ? (end.error.stack ?? end.error.message) : String(end.error);
    return [{ rule: "crash", at: virtualMs, message: error }];
  }
  const seconds = Math.round(virtualMs / 1000);
  const message = `the run is not over after ${seconds} s and ${requests.length} turns${end === "stalled" ? "; nothing will happen any more" : ""}`;
  return [{ rule: "endless run", at: virtualMs, message }];
}
