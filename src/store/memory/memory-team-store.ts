import { assertNoActiveMembers } from "../team/assert-no-active-members.ts";
import { skeletonOf } from "../team/record/confusable-names.ts";
import { checkName, uniqueName } from "../team/record/team-names.ts";
import { teamFiles } from "../team/team-files.ts";
import type { StoredTeam, TeamStore, TeamSummary } from "../team/team-store.ts";
import { unknownTeamError } from "../team/team-errors.ts";
import { createMemoryTeam, type MemoryTeam, type MemoryTeamOptions, type TeamUser } from "./memory-team.ts";

/** All teams of a world, by name. */
export type MemoryTeams = Map<string, MemoryTeam>;

/** The teams of a world, as one process uses them. */
export function createMemoryTeamStore(
  teams: MemoryTeams,
  { user, ...options }: MemoryTeamOptions & { readonly user: TeamUser },
): TeamStore {
  const { io } = user;

  const create: TeamStore["create"] = async (wanted) => {
    const asked = checkName(wanted.name, "team");
    return io.turn((append) => {
      const taken = new Set([...teams.keys()].map(skeletonOf));
      const name = uniqueName(asked, (skeleton) => taken.has(skeleton));
      const team = createMemoryTeam({ ...wanted, name }, options);
      append(teamFiles(options.home, name).record, [team], (made) => teams.set(name, made));
      return team.open(user);
    });
  };

  const find = async (name: string): Promise<MemoryTeam> => {
    const team = await io.turn(() => teams.get(name));
    if (team === undefined) throw unknownTeamError(name, await list());
    return team;
  };

  const list = async (): Promise<TeamSummary[]> => {
    const summaries: TeamSummary[] = [];
    for (const [name, team] of [...teams].sort(([a], [b]) => (a < b ? -1 : 1)))
      summaries.push({ name, team: await using(team, ({ record }) => record.read()) });
    return summaries;
  };

  const using = async <T>(team: MemoryTeam, action: (stored: StoredTeam) => Promise<T>): Promise<T> => {
    const stored = team.open(user);
    try {
      return await action(stored);
    } finally {
      await stored.close();
    }
  };

  const remove: TeamStore["delete"] = async (name, { force = false, except = [] } = {}) => {
    const team = await find(name);
    if (!force) await using(team, (stored) => assertNoActiveMembers(stored, except));
    await io.turn(() => {
      if (teams.get(name) === team) teams.delete(name);
      team.remove();
    });
  };

  return { create, open: async (name) => (await find(name)).open(user), list, delete: remove };
}
