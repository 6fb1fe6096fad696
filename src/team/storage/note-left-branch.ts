import type { Member } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";

/** Notes in the begun tasks of a member which branch has its work. The next owner reads it. */
export async function noteLeftBranch(
  tasks: Pick<TaskList, "list" | "update">,
  { name, worktreeBranch: branch }: Pick<Member, "name" | "worktreeBranch">,
): Promise<void> {
  if (branch === undefined) return;
  const begun = (await tasks.list()).filter(({ owner, status }) => owner === name && status === "in_progress");
  for (const { id, said } of begun)
    if (said?.branch === undefined) await tasks.update(id, { said: { text: said?.text ?? "", branch } }, { name });
}
