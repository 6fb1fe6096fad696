import type { WorkItem } from "../../../protocol/index.ts";
import { escapeTags } from "../escape-markup.ts";
import { taskLine } from "./task-lines.ts";

const shown = 20;

/** Wakes a lead whose team rests while something is left: tasks, or reports that it has not looked at. */
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
    ...(reports > 0 ? ["What they reported is above."] : []),
    ...(openTasks.length > 0 ? ["Tasks that are still open:", ...tasks, ...more] : []),
    "Go on with what is left: give out work, answer the user, or end the team.",
  ].join("\n");
}
