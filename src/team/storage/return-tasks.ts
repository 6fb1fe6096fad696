import type { Member, WorkItem } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";

/**
 * Returns the tasks that a member has begun, as the member would do itself: they wait until the lead decides about them.
 * The next owner reads which branch has the work.
 */
export async function returnTasks(
  tasks: Pick<TaskList, "list" | "update">,
  { name, worktreeBranch }: Pick<Member, "name" | "worktreeBranch">,
): Promise<readonly WorkItem[]> {
  const begun = (await tasks.list()).filter(({ owner, status }) => owner === name && status === "in_progress");
  const returned: WorkItem[] = [];
  for (const { id, said } of begun) {
    const branch = said?.branch ?? worktreeBranch;
    const words = said || branch ? { said: { text: said?.text ?? "", ...(branch && { branch }) } } : {};
    const told = await tasks.update(id, words, { name });
    const answer = told.ok ? await tasks.update(id, { status: "pending", owner: null }, { name }) : told;
    if (answer.ok) returned.push(answer.item);
  }
  return returned;
}
