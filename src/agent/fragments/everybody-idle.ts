import type { WorkItem } from "../../protocol/index.ts";
import { escapeTags } from "./escape-markup.ts";
import { taskLine } from "./task-words.ts";

const shown = 20;

/** Wakes a lead whose team rests while something is left: tasks, or reports that it has not looked at. */
export function everybodyIdle({
  left,
  reports,
}: {
  readonly left: readonly WorkItem[];
  readonly reports: number;
}): string {
  const tasks = left.slice(0, shown).map((task) => escapeTags(taskLine(task, left)));
  const more = left.length > tasks.length ? [`… and ${left.length - tasks.length} more`] : [];
  return [
    "All your teammates are idle.",
    ...(reports > 0 ? ["What they reported is above."] : []),
    ...(left.length > 0 ? ["Tasks that are still open:", ...tasks, ...more] : []),
    "Go on with what is left: give out work, answer the user, or end the team.",
  ].join("\n");
}
