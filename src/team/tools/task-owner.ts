import { nearestName, sameName } from "../../platform/index.ts";
import { teamLead, teamUser } from "../../protocol/index.ts";
import { currentMembers, type TaskToolPorts } from "./task-tool-ports.ts";

export type ResolvedOwner =
  | { readonly owner: string; readonly hint?: string | undefined }
  /** The reason for the model. */
  | { readonly problem: string };

/**
 * Finds the owner that a model means. The lead may also name a member that it starts later: the task is reserved for
 * it.
 */
export function resolveOwner(wanted: string, ports: TaskToolPorts): ResolvedOwner {
  const team = ports.team();
  const me = ports.memberName();
  if (wanted === me || (team === undefined && isLeadName(wanted))) return { owner: me };
  if (team === undefined)
    return {
      problem: `There is no member ${JSON.stringify(wanted)}: this task list is yours alone. Leave owner out.`,
    };
  if (wanted === teamUser)
    return { problem: "The user takes no tasks from the list. Ask the user in your answer, or leave owner out." };
  const names = currentMembers(ports);
  const owner = knownOwner(wanted, names, team);
  if (owner !== undefined) return { owner };
  const known = sameName(
    wanted,
    ports.members().map(({ name }) => name),
  );
  const ended = ports.members().find(({ name }) => name === known)?.ended;
  if (ended)
    return {
      problem: `${known} has ended (${ended.reason}). ${whoIsThere(names, me)} Choose one of them, or a new name.`,
    };
  const near = nearestName(wanted, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  if (me === teamLead && memberName.test(wanted)) return { owner: wanted, hint };
  return { problem: `There is no ${JSON.stringify(wanted)} in the team.${hint} ${whoIsThere(names, me)}` };
}

/** The names that the Agent tool accepts. */
const memberName = /^[A-Za-z][\w-]{0,39}$/;

const isLeadName = (name: string) => ["lead", teamLead].includes(name.toLowerCase());

/** Accepts `name@team`, `lead`, and another case of a name that only one member has. */
function knownOwner(wanted: string, names: readonly string[], team: string): string | undefined {
  const name = wanted.endsWith(`@${team}`) ? wanted.slice(0, -team.length - 1) : wanted;
  return sameName(name, names) ?? (isLeadName(name) ? teamLead : undefined);
}

function whoIsThere(names: readonly string[], me: string): string {
  return names.every((name) => name === me || name === teamLead)
    ? `The team has no ${me === teamLead ? "" : "other "}members yet.`
    : `In the team: ${names.join(", ")}.`;
}
