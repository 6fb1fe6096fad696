import type { WorkItem } from "../../../protocol/index.ts";
import { escapeTags } from "../escape-markup.ts";
import { taskLine } from "./task-lines.ts";

const shown = 20;

/** Wakes a lead whose team is idle while tasks or unread reports are left. */
export function teamIdlePrompt({
  openTasks,
  reports,
}: {
  readonly openTasks: readonly WorkItem[];
  readonly reports: number;
}): string {
  const tasks = openTasks.slice(0, shown).map((task) => escapeTags(taskLine(task, openTasks)));
  const more = openTasks.length > tasks.length ? [`… and ${openTasks.length - tasks.length} more`] : [];
  return [
    "All your teammates are idle.",
    ...(reports > 0 ? ["Their reports are above."] : []),
    ...(openTasks.length > 0 ? ["Tasks that are still open:", ...tasks, ...more] : []),
    "Continue with what is left: assign work, answer the user, or end the team.",
  ].join("\n");
}
