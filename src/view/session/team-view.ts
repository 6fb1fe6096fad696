import type { Event, WorkItem } from "../../protocol/index.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** A team as seen by the session that leads it. */
export interface TeamView {
  readonly name: string;
  /** In order of first appearance; ended members stay. */
  readonly members: readonly MemberView[];
}

export type MemberView = Omit<Of<"member.changed">, "type" | "team">;

export function withMember(
  teams: ReadonlyMap<string, TeamView>,
  changed: Of<"member.changed">,
): ReadonlyMap<string, TeamView> {
  const { type: _, team, ...member } = changed;
  const known = teams.get(team) ?? { name: team, members: [] };
  const at = known.members.findIndex(({ name }) => name === member.name);
  const members = at < 0 ? [...known.members, member] : known.members.with(at, member);
  return new Map(teams).set(team, { ...known, members });
}

export function withoutTeam<T>(teams: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  if (!teams.has(name)) return teams;
  const rest = new Map(teams);
  rest.delete(name);
  return rest;
}

/** Tasks by team; the session's own list has the empty name. */
export type TaskLists = ReadonlyMap<string, readonly WorkItem[]>;

export function withTask(lists: TaskLists, { team = "", task }: Of<"task.changed">): TaskLists {
  const known = lists.get(team) ?? [];
  const at = known.findIndex(({ id }) => id >= task.id);
  const isKnown = at >= 0 && known[at]?.id === task.id;
  const tasks = isKnown ? known.with(at, task) : known.toSpliced(at < 0 ? known.length : at, 0, task);
  return new Map(lists).set(team, tasks);
}
