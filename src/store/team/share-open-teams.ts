import type { StoredTeam, TeamStore } from "./team-store.ts";

/**
 * Opens each team once per process for all its users: one watch, one fold of record and tasks, and one heartbeat,
 * however many members the process runs. It closes with the last user.
 */
export function shareTeams(store: TeamStore): TeamStore {
  const shared = new Map<string, Shared>();

  const open = async (name: string): Promise<StoredTeam> => hold(shared.get(name) ?? keep(name, store.open(name)));

  const keep = (name: string, opening: Promise<StoredTeam>): Shared => {
    const made: Shared = { name, opening, holders: 0 };
    shared.set(name, made);
    return made;
  };

  const hold = async (kept: Shared): Promise<StoredTeam> => {
    kept.holders += 1;
    let isHeld = true;
    const release = async () => {
      if (!isHeld) return;
      isHeld = false;
      kept.holders -= 1;
      if (kept.holders > 0) return;
      if (shared.get(kept.name) === kept) shared.delete(kept.name);
      await (await kept.opening).close();
    };
    try {
      return { ...(await kept.opening), close: release };
    } catch (error) {
      // Nothing was opened, so the next caller tries again.
      if (shared.get(kept.name) === kept) shared.delete(kept.name);
      throw error;
    }
  };

  const create = async (team: Parameters<TeamStore["create"]>[0]): Promise<StoredTeam> => {
    const made = await store.create(team);
    return hold(keep(made.name, Promise.resolve(made)));
  };

  return { create, open, list: () => store.list(), delete: (name, options) => store.delete(name, options) };
}

interface Shared {
  readonly name: string;
  readonly opening: Promise<StoredTeam>;
  holders: number;
}
