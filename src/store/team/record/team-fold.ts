import { storageError } from "../../../platform/index.ts";
import { AgentColor, type Member, type Reservation, type Team, teamUser } from "../../../protocol/index.ts";
import type { JournalFold } from "../journal/journal-fold.ts";
import { heldReservations, conflictingReservation } from "./reservations.ts";
import { isEndorsed, withKey } from "./key-endorsements.ts";
import { TeamEntry, TeamSnapshot } from "./team-entry.ts";

/** Every change replaces the team object. `keys` maps each used skeleton to its name. */
export interface TeamState {
  team: Team | undefined;
  readonly keys: Map<string, string>;
}

export type RefusedTeam =
  | { readonly reason: "taken" }
  | { readonly reason: "unknown" }
  | { readonly reason: "reserved"; readonly held: Reservation }
  /** Already done. */
  | { readonly reason: "done"; readonly member?: Member };

export const teamFold: JournalFold<TeamState, TeamEntry, Team, RefusedTeam> = {
  version: 1,
  entry: TeamEntry,
  empty: () => ({ team: undefined, keys: new Map() }),
  snapshot: (state) => ({ team: teamOf(state), keys: [...state.keys] }),
  restore: (value, path) => {
    const snapshot = TeamSnapshot.safeParse(value);
    if (!snapshot.success) throw storageError("use", path, new Error("its first line is not that of a team record"));
    return { team: snapshot.data.team, keys: new Map(snapshot.data.keys) };
  },
  refusalOf,
  apply: (state, entry) => {
    if (entry.do === "join") state.keys.set(entry.key, entry.member.name);
    state.team = apply(teamOf(state), entry);
    return state.team;
  },
  difference: (_before, after) => [teamOf(after)],
};

function teamOf({ team }: TeamState): Team {
  if (team === undefined) throw new Error("a team record begins with its team");
  return team;
}

function refusalOf(state: TeamState, entry: TeamEntry): RefusedTeam | undefined {
  const { members, teamAllowedPaths } = teamOf(state);
  switch (entry.do) {
    case "join": {
      const { startedBy, callId } = entry.member;
      const twin =
        callId === undefined ? undefined : members.find((m) => m.callId === callId && m.startedBy === startedBy);
      if (twin !== undefined) return { reason: "done", member: twin };
      return state.keys.has(entry.key) ? { reason: "taken" } : undefined;
    }
    case "change":
      return members.some(({ name }) => name === entry.name) ? undefined : { reason: "unknown" };
    case "end": {
      const member = members.find(({ name }) => name === entry.name);
      if (member === undefined) return { reason: "unknown" };
      return member.ended === undefined ? undefined : { reason: "done", member };
    }
    case "allow": {
      const { path, tool } = entry.path;
      return teamAllowedPaths.some((known) => known.path === path && known.tool === tool)
        ? { reason: "done" }
        : undefined;
    }
    case "key": {
      const ofWorker = members.some(({ name, worker }) => name === entry.name && worker !== undefined);
      if (ofWorker) return isEndorsed(teamOf(state), entry) ? undefined : { reason: "done" };
      if (teamOf(state).publicKeys?.[entry.name] !== undefined) return { reason: "done" };
      const isThere = entry.name === teamUser || members.some(({ name }) => name === entry.name);
      return isThere ? undefined : { reason: "unknown" };
    }
    case "reserve": {
      if (!members.some(({ name, ended }) => name === entry.reservation.by && !ended)) return { reason: "unknown" };
      const held = conflictingReservation(teamOf(state), entry.reservation);
      return held && { reason: "reserved", held };
    }
    case "team":
    case "free":
      return undefined;
  }
}

function apply(team: Team, entry: TeamEntry): Team {
  switch (entry.do) {
    case "join":
      return { ...team, members: [...team.members, { ...entry.member, color: entry.member.color ?? nextColor(team) }] };
    case "change": {
      const { ended, ...patch } = entry.patch;
      return withMember(team, entry.name, (member) => {
        const { ended: was, ...rest } = member;
        return { ...rest, ...(was !== undefined && ended !== null && { ended: was }), ...defined(patch) };
      });
    }
    case "end":
      return withMember(team, entry.name, (member) => ({ ...member, ended: entry.ended }));
    case "team":
      return { ...team, ...defined(entry.patch) };
    case "allow":
      return { ...team, teamAllowedPaths: [...team.teamAllowedPaths, entry.path] };
    case "reserve": {
      const { path, by, at } = entry.reservation;
      const others = heldReservations(team, at).filter((held) => held.by !== by || held.path !== path);
      return { ...team, reservations: [...others, entry.reservation] };
    }
    case "free": {
      const isFreed = ({ by, path }: Reservation) => by === entry.by && (entry.paths?.includes(path) ?? true);
      return { ...team, reservations: (team.reservations ?? []).filter((held) => !isFreed(held)) };
    }
    case "key":
      return withKey(team, entry);
  }
}

const withMember = (team: Team, name: string, change: (member: Member) => Member): Team => ({
  ...team,
  members: team.members.map((member) => (member.name === name ? change(member) : member)),
});

/** Colors are used in turn, so that a small team has no color twice. */
function nextColor({ members }: Team): AgentColor {
  const used = (color: AgentColor) => members.filter((member) => member.color === color).length;
  return AgentColor.options.reduce((best, color) => (used(color) < used(best) ? color : best));
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Removes undefined fields: a field that was not given changes nothing. */
const defined = <T extends object>(patch: T): Partial<Defined<T>> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
