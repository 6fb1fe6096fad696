import { teamLead } from "../../../protocol/index.ts";
import { type UnlandedWork, unlandedLines } from "./unlanded-work.ts";

interface LedTeamFacts {
  readonly team: string;
  /** Its active members. */
  readonly members: readonly string[];
  /** It has neither members nor tasks. */
  readonly isUnused: boolean;
}

/** Refuses a second team while the lead has an unused one, or one of that name. */
export function teamAlreadyLed({ team, members, isUnused }: LedTeamFacts): string {
  const others = members.length === 0 ? "" : `, with ${members.join(", ")}`;
  const state = isUnused ? ", and it has no members and no tasks" : others;
  return `No team was created: you already lead the team ${team}${state}. Use it: start teammates with Agent and a name.`;
}

export interface ActiveMembers {
  readonly team: string;
  /** Members that were asked to end and still run. */
  readonly asked: readonly string[];
  /** Active members that were not asked. */
  readonly others: readonly string[];
}

/** Refuses to delete a team with active members, and says what to do. */
export function teamStillActive({ team, asked, others }: ActiveMembers): string {
  if (others.length === 0)
    return `The team ${team} is not deleted yet: ${list(asked)} already asked to end. You are notified when each has ended. There is nothing to do until then: end your turn, and call TeamDelete after that notice.`;
  // A request to "*" asks all members.
  const isAll = others.length > 1 && asked.length === 0;
  const receivers = isAll ? '"*"' : others.map((name) => JSON.stringify(name)).join(" and to ");
  const already = asked.length === 0 ? "" : ` Already asked: ${asked.join(", ")}.`;
  return `The team ${team} is not deleted: ${list(others)} still active. First ask for the end with SendMessage to ${receivers}, message {"type":"shutdown_request"}.${already} You are notified when each has ended. Then call TeamDelete.`;
}

export interface DeletedTeam {
  readonly team: string;
  /** The team that the caller leads now. */
  readonly still?: string | undefined;
  /** Work of its members that the caller's branch does not have. */
  readonly unlanded?: readonly UnlandedWork[] | undefined;
}

export function teamDeleted({ team, still, unlanded = [] }: DeletedTeam): string {
  const now =
    still === undefined
      ? "You lead no team now, and your task list is yours alone."
      : `You still lead ${still} as ${teamLead}: your task tools now use its list, and Agent starts teammates there.`;
  const last = "Your next answer is what the user gets: give the whole answer, with what you said before.";
  return [
    `The team ${team} is deleted, with its mail and its tasks. ${now}`,
    ...(unlanded.length > 0
      ? ["Its branches are kept. This work is not on your branch:", ...unlandedLines(unlanded)]
      : still === undefined
        ? [`The work of the team is over. ${last}`]
        : []),
  ].join(unlanded.length > 0 ? "\n" : " ");
}

const list = (names: readonly string[]) => `${names.join(", ")} ${names.length === 1 ? "is" : "are"}`;
