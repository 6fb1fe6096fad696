import type { WorkItem } from "../../protocol/index.ts";
import type { TaskToolPorts } from "./task-tool-ports.ts";

/** Judges the checks now. At completion it is too late to choose others. */
export async function checkProblems(
  { id, acceptance }: WorkItem,
  ports: Pick<TaskToolPorts, "refuseCheck">,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [index, { command }] of acceptance.entries()) {
    const refused = await ports.refuseCheck?.(command);
    if (!refused) continue;
    const { why, allowedWith } = refused;
    const way = allowedWith === undefined ? "" : `\nThe user can allow check ${index + 1} with ${allowedWith}.`;
    problems.push(`Check ${index + 1} cannot be run here (${why}): ${command}${way}`);
  }
  if (problems.length === 0) return [];
  return [
    ...problems,
    `So the task can be completed only as "not verified". Leave out such checks: TaskUpdate (taskId ${id}) with acceptance and the other checks, or an empty list.`,
  ];
}
