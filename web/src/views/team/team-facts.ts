import { type SessionListing, teamLead, type WorkItem } from "../../../../src/protocol/index.ts";
import type { SessionView } from "../../../../src/view/index.ts";
import { displayName, type RosterEntry } from "../../state/roster.ts";

/** The current or last task of an agent, the agents that it waits for, and the use of its context. */
export interface TeamFacts {
  readonly task: WorkItem | undefined;
  readonly waits: readonly Wait[];
  /** The used share of its context, from 0 to 1; undefined if unknown. */
  readonly context: number | undefined;
}

export interface Wait {
  /** The key of the agent that it waits for; undefined: it waits for the user. */
  readonly key: string | undefined;
  readonly name: string;
  readonly why: string;
}

const noFacts: TeamFacts = { task: undefined, waits: [], context: undefined };

export type FactsOf = (entry: RosterEntry) => TeamFacts;

/** The facts of each agent, from the tasks and the windows of the models. */
export function teamFacts(
  roster: readonly RosterEntry[],
  tasks: SessionView["tasks"],
  sessions: readonly Pick<SessionListing, "id" | "contextWindow">[],
): FactsOf {
  const facts = new Map<string, TeamFacts>();
  for (const entry of roster) {
    const own = tasksOf(entry, tasks);
    const task =
      own.find(({ status }) => status === "in_progress") ??
      own.find(({ status }) => status === "pending") ??
      own.findLast(({ status }) => status === "completed");
    const window = sessions.find(({ id }) => id === entry.session)?.contextWindow;
    const used = entry.agent?.contextTokens;
    const context = window === undefined || used === undefined ? undefined : Math.min(1, used / window);
    facts.set(entry.key, { task, waits: waitsOf(entry, task, { roster, tasks }), context });
  }
  return ({ key }) => facts.get(key) ?? noFacts;
}

/** The lead's tasks are under its name in the team. */
function tasksOf({ kind, member }: RosterEntry, tasks: SessionView["tasks"]): readonly WorkItem[] {
  const name = member?.name ?? (kind === "lead" ? teamLead : undefined);
  if (name === undefined) return [];
  const lists = member ? [tasks.get(member.team) ?? []] : [...tasks.values()];
  return lists.flat().filter(({ owner }) => owner === name);
}

interface Context {
  readonly roster: readonly RosterEntry[];
  readonly tasks: SessionView["tasks"];
}

function waitsOf(entry: RosterEntry, task: WorkItem | undefined, { roster, tasks }: Context): readonly Wait[] {
  if (entry.state === "asking") return [{ key: undefined, name: "you", why: "an answer" }];
  if (task?.status !== "pending") return [];
  const all = [...tasks.values()].flat();
  return task.blockedBy.flatMap((id): Wait[] => {
    const other = all.find((each) => each.id === id);
    if (!other || other.status === "completed" || other.status === "deleted" || other.owner === undefined) return [];
    const name = displayName(other.owner);
    const owner = roster.find((each) => each.name === name && each.key !== entry.key);
    return owner ? [{ key: owner.key, name, why: `#${other.id} ${other.subject}` }] : [];
  });
}

/** `#3 Try every bill`, with a tick if it is done; unfiltered. */
export const taskText = ({ id, subject, status }: WorkItem): string =>
  `#${id} ${subject}${status === "completed" ? " ✓" : ""}`;
