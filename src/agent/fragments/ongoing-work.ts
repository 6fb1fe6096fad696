import { isOpenTask, type WorkItem } from "../../protocol/index.ts";
import { escapeMarkup } from "./escape-markup.ts";
import { taskLine } from "./team/task-lines.ts";

/** Work that outlives a compaction. */
export interface OngoingWork {
  readonly running: readonly { readonly id: string; readonly kind: "shell" | "agent"; readonly description: string }[];
  /** Agents at rest that can be sent on. */
  readonly idle: readonly { readonly name: string; readonly description: string }[];
  /** The teams it is in, and the session's own task list. */
  readonly teams?: readonly OngoingTeam[];
}

export interface OngoingTeam {
  /** Which team, and what the agent is in it. */
  readonly heading?: string | undefined;
  /** A line each. Those who matter most come first: where there are too many, the last are told by number. */
  readonly members: readonly string[];
  /** The whole list; undefined where it cannot be read. */
  readonly tasks: readonly WorkItem[] | undefined;
}

const shown = 40;
const teamsShown = 10;

/** Stands after a summary: what the summary may have forgotten, and the runtime has not. Undefined where there is nothing. */
export function ongoingWork({ running, idle, teams = [] }: OngoingWork): string | undefined {
  const kinds = { shell: "command", agent: "agent" };
  const lines = [
    ...section(
      "Running in the background at this moment; you will be told when each has ended, and do not need to start it again:",
      newest(running.map(({ id, kind, description }) => `- ${kinds[kind]} ${id}: ${line(description)}`)),
    ),
    ...section(
      "Agents of yours that have finished, and go on from where they were with SendMessage:",
      newest(idle.map(({ name, description }) => `- ${line(name)}: ${line(description)}`)),
    ),
    ...teams.slice(0, teamsShown).flatMap(teamLines),
    ...(teams.length > teamsShown ? [`And ${teams.length - teamsShown} more teams.`] : []),
  ];
  return lines.length === 0 ? undefined : ["<still-there>", ...lines, "</still-there>"].join("\n");
}

const section = (heading: string, lines: readonly string[]) => (lines.length === 0 ? [] : [heading, ...lines]);

const newest = (lines: readonly string[]) =>
  lines.length <= shown ? lines : [...lines.slice(-shown), `- and ${lines.length - shown} more before these`];

function teamLines({ heading, members, tasks }: OngoingTeam): readonly string[] {
  const open = tasks?.filter(isOpenTask) ?? [];
  const { length } = members;
  return [
    ...(heading === undefined ? [] : [line(heading)]),
    ...members.slice(0, shown).map((member) => `- ${line(member)}`),
    ...(length > shown ? [`- and ${length - shown} more`] : []),
    ...section(
      "Tasks that are open:",
      open.slice(0, shown).map((task) => line(taskLine(task, tasks ?? []), taskLimit)),
    ),
    ...(open.length > shown ? [`and ${open.length - shown} more, which TaskList shows`] : []),
    ...(tasks === undefined ? ["The task list could not be read just now; TaskList shows it."] : []),
  ];
}

/** A subject, an owner, and some of what blocks it. */
const taskLimit = 320;

const line = (text: string, limit = 200) => escapeMarkup(text.replace(/\s+/g, " ").slice(0, limit));
