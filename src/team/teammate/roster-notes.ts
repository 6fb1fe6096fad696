import { rosterChanged } from "../../agent/index.ts";
import { type Member, teamLead } from "../../protocol/index.ts";

/** Follows who is in the team, for the next prompt of a member. It wakes no member. */
export interface RosterNotes {
  /** The members that joined and left since the last call. Undefined if there are none. */
  take(): string | undefined;
}

/** Begins with the members that the agent's first prompt names. */
export function createRosterNotes(self: string, members: () => readonly Member[]): RosterNotes {
  const others = () => members().filter(({ name, ended }) => name !== self && name !== teamLead && !ended);
  let known = new Set(others().map(({ name }) => name));
  return {
    take() {
      const now = others();
      const names = new Set(now.map(({ name }) => name));
      const joined = now.filter(({ name }) => !known.has(name));
      const left = [...known].filter((name) => !names.has(name));
      known = names;
      return rosterChanged({ joined, left });
    },
  };
}
