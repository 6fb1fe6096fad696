import { type Member, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";

/** Gives a new member the tasks that were reserved for its name in another case. Returns a notice for each. */
export async function adoptReservedTasks(
  { name }: Pick<Member, "name">,
  { tasks, record }: Pick<StoredTeam, "tasks" | "record">,
): Promise<readonly string[]> {
  const isMember = (owner: string) => record.current().members.some((member) => member.name === owner);
  const notices: string[] = [];
  for (const { id, owner } of await tasks.list()) {
    if (owner === undefined || owner.toLowerCase() !== name.toLowerCase() || isMember(owner)) continue;
    await tasks.update(id, { owner: name }, { name: teamLead });
    notices.push(`Task #${id} was reserved for ${owner} and is ${name}'s now.`);
  }
  return notices;
}
