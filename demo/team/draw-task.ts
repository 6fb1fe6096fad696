import { teamLead, type WorkItem } from "../../src/protocol/index.ts";
import type { Paint } from "../../src/cli/screen.ts";
import type { Column } from "../shared/columns.ts";

/** Draws what changed in a task since its last event, in the column of the responsible agent. */
export function createTaskDrawing(paint: Paint, columnOf: (name: string) => Column): (task: WorkItem) => void {
  const seen = new Map<number, WorkItem>();
  return (task) => {
    const before = seen.get(task.id);
    seen.set(task.id, task);
    const changeText = changeOf(before, task);
    if (changeText === undefined) return;
    const owner = task.owner ?? (before === undefined ? task.createdBy : teamLead);
    columnOf(owner).write(`#${task.id} ${changeText}`, { mark: "#", markStyle: paint.cyan });
  };
}

function changeOf(before: WorkItem | undefined, task: WorkItem): string | undefined {
  if (before === undefined) return `${task.subject}${waits(task)}${checks(task)}`;
  if (task.status === "completed" && before.proof !== task.proof && task.proof === "verified")
    return `verified: the runtime ran its check`;
  if (task.status === "completed" && before.status !== "completed" && task.acceptance.length === 0) return "done";
  if (task.status === "in_progress" && before.status !== "in_progress")
    return task.proof === "refuted" ? "not done: its check failed" : `claimed: ${task.subject}`;
  if (task.status === "pending" && before.status === "in_progress") return "released";
  return undefined;
}

const waits = ({ blockedBy }: WorkItem) =>
  blockedBy.length === 0 ? "" : `, after ${blockedBy.map((id) => `#${id}`).join(" and ")}`;
const checks = ({ acceptance }: WorkItem) => (acceptance.length === 0 ? "" : ", with a check");
