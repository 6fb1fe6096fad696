import type { OngoingTeam } from "../../agent/index.ts";
import { type Member, type MemberStatus, TroupeError, type WorkItem } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";

/** What a lead must not forget of a team when its conversation is made shorter: who is in it, what is left to do. */
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
    heading: `You lead the team ${team.name}. ${members.length === 0 ? "It has no members." : "Its members:"}`,
    members: [...lines(there), ...lines(gone)],
    tasks: await readTasks(team.tasks),
  };
}

/** The same for a member: with whom it works, and what is its own or nobody's. */
export async function memberOngoingWork(
  { name, team, members }: { readonly name: string; readonly team: string; readonly members: readonly Member[] },
  tasks: Pick<TaskList, "list">,
): Promise<OngoingTeam> {
  const others = members.filter((each) => each.name !== name && !each.ended);
  return {
    heading: `You are ${name} of the team ${team}. ${others.length === 0 ? "Nobody else is in it." : "With you are:"}`,
    members: others.map(({ name: other, agentType }) => (agentType === undefined ? other : `${other} (${agentType})`)),
    tasks: await readTasks(tasks),
  };
}

/** The tasks of a session outside of teams. */
export const ownOngoingWork = async (tasks: () => Promise<TaskList>): Promise<OngoingTeam> => ({
  members: [],
  tasks: await readTasks({ list: async () => (await tasks()).list() }),
});

/** A conversation is made shorter also where the list cannot be read. */
async function readTasks(tasks: Pick<TaskList, "list">): Promise<readonly WorkItem[] | undefined> {
  try {
    return await tasks.list();
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}
