import type { OngoingTeam } from "../../agent/index.ts";
import { type Member, type MemberStatus, TroupeError, type WorkItem } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";

/** Facts about a team that the lead needs after a compaction: members and open tasks. */
export async function leadOngoingWork(team: {
  readonly name: string;
  readonly tasks: Pick<TaskList, "list">;
  members(): readonly Member[];
  statuses(): readonly MemberStatus[];
}): Promise<OngoingTeam> {
  const states = new Map(team.statuses().map(({ name, state }) => [name, state]));
  const lines = (members: readonly Member[]) =>
    members.map(({ name, agentType = "general-purpose", ended }) => {
      const state = ended ? `ended (${ended.reason})` : (states.get(name) ?? "starting");
      return `${name} (${agentType}): ${state}`;
    });
  const members = team.members();
  const [there, gone] = [members.filter(({ ended }) => !ended), members.filter(({ ended }) => ended)];
  return {
    heading: `You lead team ${team.name}. ${members.length === 0 ? "It has no members." : "Its members:"}`,
    members: [...lines(there), ...lines(gone)],
    tasks: await readTasks(team.tasks),
  };
}

/** The same facts for a teammate: the other members and the tasks. */
export async function memberOngoingWork(
  { name, team, members }: { readonly name: string; readonly team: string; readonly members: readonly Member[] },
  tasks: Pick<TaskList, "list">,
): Promise<OngoingTeam> {
  const others = members.filter((each) => each.name !== name && !each.ended);
  return {
    heading: `You are ${name} in team ${team}. ${others.length === 0 ? "It has no other members." : "The other members:"}`,
    members: others.map(({ name: other, agentType }) => (agentType === undefined ? other : `${other} (${agentType})`)),
    tasks: await readTasks(tasks),
  };
}

/** The tasks of a session without a team. */
export const ownOngoingWork = async (tasks: () => Promise<TaskList>): Promise<OngoingTeam> => ({
  members: [],
  tasks: await readTasks({ list: async () => (await tasks()).list() }),
});

/** Returns undefined if the list cannot be read, because compaction must work anyway. */
async function readTasks(tasks: Pick<TaskList, "list">): Promise<readonly WorkItem[] | undefined> {
  try {
    return await tasks.list();
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}
