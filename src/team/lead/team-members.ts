import { isExternal, type Member, teamLead, TroupeError } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { memberOf } from "../mailbox/find-member.ts";

/** The members of a team without its lead, as recorded. */
export interface TeamMembers {
  /** All of them, including ended and external ones. */
  others(): readonly Member[];
  /** Members that Troupe runs. External members are never waited for. */
  teammates(): readonly Member[];
  /** Teammates, and external members whose program reports when it is idle. */
  reporting(): readonly Member[];
  /** Throws a TroupeError for an unknown name. */
  get(name: string): Member;
  colorOf(name: string): string | undefined;
  /** The member's working directory. */
  folderOf(name: string): string;
}

export function createTeamMembers({
  name: team,
  record,
  reportsIdle,
}: Pick<StoredTeam, "name" | "record" | "reportsIdle">): TeamMembers {
  const others = () => record.current().members.filter(({ name }) => name !== teamLead);
  const get = (name: string): Member => {
    const found = memberOf(name, others());
    if (found) return found;
    const names = others().map((member) => member.name);
    const list = names.length === 0 ? "it has no members yet" : `its members are: ${names.join(", ")}`;
    throw new TroupeError("team", `Team ${team} has no member ${JSON.stringify(name)}; ${list}.`);
  };
  return {
    others,
    teammates: () => others().filter((member) => !isExternal(member)),
    reporting: () => others().filter((member) => !isExternal(member) || reportsIdle?.(member.name) === true),
    get,
    colorOf: (name) => record.current().members.find((member) => member.name === name)?.color,
    folderOf: (name) => {
      const { worktreePath, cwd } = get(name);
      return worktreePath ?? cwd;
    },
  };
}
