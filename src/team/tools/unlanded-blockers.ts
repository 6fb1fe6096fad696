import { unlandedBlockerNote } from "../../agent/index.ts";
import type { WorkItem } from "../../protocol/index.ts";
import type { TaskToolPorts } from "./task-tool-ports.ts";

/** Notes about work that this task builds on and that has not landed, one for each task that blocked it. */
export async function unlandedBlockers(
  task: WorkItem,
  all: readonly WorkItem[],
  { memberName, unlandedWork, branchUse }: Pick<TaskToolPorts, "memberName" | "unlandedWork" | "branchUse">,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const { id: taskId, owner } of all) {
    if (!task.blockedBy.includes(taskId) || owner === undefined || owner === memberName()) continue;
    const work = await unlandedWork?.(owner);
    if (work && (work.commits > 0 || work.uncommitted.length > 0))
      notes.push(unlandedBlockerNote({ taskId, owner, work }, branchUse?.(memberName()) ?? "ask"));
  }
  return notes;
}
