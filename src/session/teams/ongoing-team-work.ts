import {
  type Agent,
  type LeftWorktree,
  type OngoingTeam,
  type PreviousRun,
  sessionResumed,
} from "../../agent/index.ts";
import type { CreateId } from "../../platform/index.ts";
import {
  isOpenTask,
  type Member,
  type MemberStatus,
  type PromptId,
  type StoredEnvelope,
  TroupeError,
  type WorkItem,
} from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import { type LeadTeam, unlandedWork } from "../../team/index.ts";

/** Facts about a team that the lead needs after a compaction or a resume: members, open tasks and unlanded work. */
export async function leadOngoingWork(
  team: LedTeam,
  leftBy: (member: Member) => Promise<LeftWorktree | undefined>,
): Promise<OngoingTeam> {
  const states = new Map(team.statuses().map(({ name, state }) => [name, state]));
  const lines = (members: readonly Member[]) =>
    members.map((member) => {
      const { name, ended } = member;
      return `${described(member)}: ${ended ? `ended (${ended.reason})` : (states.get(name) ?? "starting")}`;
    });
  const members = team.members();
  const [there, gone] = [members.filter(({ ended }) => !ended), members.filter(({ ended }) => ended)];
  return {
    heading: `You lead team ${team.name}. ${members.length === 0 ? "It has no members." : "Its members:"}`,
    members: [...lines(there), ...lines(gone)],
    tasks: await readTasks(team.tasks),
    unlanded: await unlandedWork(members, leftBy),
  };
}

interface LedTeam {
  readonly name: string;
  readonly tasks: Pick<TaskList, "list">;
  members(): readonly Member[];
  statuses(): readonly MemberStatus[];
}

/** The same facts for a teammate: the other members and the tasks. */
export async function memberOngoingWork(
  { name, team, members }: { readonly name: string; readonly team: string; readonly members: readonly Member[] },
  tasks: Pick<TaskList, "list">,
): Promise<OngoingTeam> {
  const others = members.filter((each) => each.name !== name && !each.ended);
  return {
    heading: `You are ${name} in team ${team}. ${others.length === 0 ? "It has no other members." : "The other members:"}`,
    members: others.map(described),
    tasks: await readTasks(tasks),
  };
}

/** The type of a member that joined by itself may be unknown. */
const described = ({ name, agentType }: Member) => (agentType === undefined ? name : `${name} (${agentType})`);

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

/**
 * Tells a resumed agent, with its next prompt, how its previous run ended and how its teams are now. Says nothing if
 * nothing was interrupted and the teams are empty.
 */
export async function tellResumed(
  teams: readonly OngoingTeam[],
  { agent, replayed, createId, hasMembers, isPlanOpen = () => true }: ResumeFacts,
): Promise<void> {
  const previous = previousRun(replayed);
  if (!previous) return;
  const run = { ...previous, voidPlans: unansweredPlans(replayed).filter((name) => !isPlanOpen(name)) };
  const isCut = run.isTurnOpen || run.lostCommands.length > 0;
  const isOpen = teams.some(({ tasks, unlanded = [] }) => tasks?.some(isOpenTask) || unlanded.length > 0);
  if (!isCut && !hasMembers && !isOpen) return;
  const parts = [{ type: "text" as const, text: sessionResumed(run, teams) }];
  await agent.admitOnce({ promptId: createId<PromptId>("prm"), source: "agent", parts, quiet: true });
}

interface ResumeFacts {
  readonly agent: Agent;
  readonly replayed: readonly StoredEnvelope[];
  readonly createId: CreateId;
  /** The teams have members that have not ended. */
  readonly hasMembers: boolean;
  /** For a lead: true if the plan of this member still waits for its answer. */
  readonly isPlanOpen?: ((name: string) => boolean) | undefined;
}

/** The members whose last plan the lead has received and not answered. */
function unansweredPlans(replayed: readonly StoredEnvelope[]): readonly string[] {
  const open = new Set<string>();
  for (const { event } of replayed) {
    if (event.type === "mail.received" && event.kind === "plan_approval_request") open.add(event.from);
    if (event.type === "mail.sent" && event.kind === "plan_approval_response") open.delete(event.to);
  }
  return [...open];
}

/** Undefined for a new session. */
function previousRun(replayed: readonly StoredEnvelope[]): Omit<PreviousRun, "voidPlans"> | undefined {
  const last = replayed.at(-1);
  if (!last) return undefined;
  const events = replayed.map(({ event }) => event);
  const commands = new Map<string, string>();
  for (const event of events) {
    if (event.type === "background.started" && event.kind === "shell")
      commands.set(event.backgroundId, event.description);
    if (event.type === "background.ended") commands.delete(event.backgroundId);
  }
  const step = events.findLast(({ type }) => type === "turn.started" || type === "agent.idle");
  return {
    endedAt: last.at,
    isClosed:
      events.findLast(({ type }) => type === "session.opened" || type === "session.closed")?.type === "session.closed",
    isTurnOpen: step?.type === "turn.started",
    lostCommands: [...commands.values()],
  };
}

/** The work that a session's teams and agents have not finished. */
export interface OpenTeamWork {
  readonly tasks: readonly WorkItem[];
  /** The names of members that still work. */
  readonly runningMembers: readonly string[];
  /** Worktrees of members and subagents with commits that are not landed, or with uncommitted files. */
  readonly worktrees: readonly LeftWorktree[];
}

export const noOpenWork: OpenTeamWork = { tasks: [], runningMembers: [], worktrees: [] };

/** Adds worktrees that are not in it yet. */
export function withWorktrees(work: OpenTeamWork, more: readonly LeftWorktree[]): OpenTeamWork {
  const known = new Set(work.worktrees.map(({ path }) => path));
  return { ...work, worktrees: [...work.worktrees, ...more.filter(({ path }) => !known.has(path))] };
}

/** Files that cannot be read are left out: a notice reports their damage. */
export async function openTeamWork(
  teams: readonly Pick<LeadTeam, "tasks" | "members" | "busyMembers">[],
  leftBy: (member: Member) => Promise<LeftWorktree | undefined>,
): Promise<OpenTeamWork> {
  const tasks = await Promise.all(teams.map((team) => orNothing(() => team.tasks.list())));
  const unlanded = await unlandedWork(
    teams.flatMap((team) => team.members()),
    leftBy,
  );
  return {
    tasks: tasks.flat().filter(isOpenTask),
    runningMembers: teams.flatMap((team) => team.busyMembers().map(({ name }) => name)),
    worktrees: unlanded.map(({ work }) => work),
  };
}

async function orNothing<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (TroupeError.is(error)) return [];
    throw error;
  }
}
