import { isOpenTask, type WorkItem } from "../../protocol/index.ts";
import { escapeSenders } from "./escape-markup.ts";
import { taskLine } from "./team/task-lines.ts";
import { type UnlandedWork, unlandedLines } from "./team/unlanded-work.ts";

/** Work that outlives a compaction. */
export interface OngoingWork {
  readonly running: readonly { readonly id: string; readonly kind: "shell" | "agent"; readonly description: string }[];
  readonly subagents: readonly OngoingAgent[];
  /** The agent's teams, and the session's own task list. */
  readonly teams?: readonly OngoingTeam[];
}

/** An agent that can be messaged. */
export interface OngoingAgent {
  readonly id: string;
  readonly name: string | undefined;
  readonly description: string;
  readonly running: boolean;
}

export interface OngoingTeam {
  /** The team, and the agent's role in it. */
  readonly heading?: string | undefined;
  /** One line each, most important first. If there are too many, the last ones are only counted. */
  readonly members: readonly string[];
  /** The whole list; undefined if it cannot be read. */
  readonly tasks: readonly WorkItem[] | undefined;
  /** Work of its members that the lead's branch does not have. */
  readonly unlanded?: readonly UnlandedWork[] | undefined;
}

const shown = 40;
const teamsShown = 10;

/** Follows a summary: work in progress that the summary may have left out. Undefined if there is none. */
export function ongoingWork({ running, subagents, teams = [] }: OngoingWork): string | undefined {
  const kinds = { shell: "command", agent: "agent" };
  const lines = [
    ...section(
      "Running in the background now. You are notified when each one ends. Do not start it again:",
      newest(running.map(({ id, kind, description }) => `- ${kinds[kind]} ${id}: ${line(description)}`)),
    ),
    ...section(
      "Your agents that are running. SendMessage reaches them by name or id:",
      newest(subagents.filter(({ running }) => running).map(agentLine)),
    ),
    ...section(
      "Your agents that have finished. SendMessage resumes them with all they know:",
      newest(subagents.filter(({ running }) => !running).map(agentLine)),
    ),
    ...teams.slice(0, teamsShown).flatMap(ongoingTeamLines),
    ...(teams.length > teamsShown ? [`And ${teams.length - teamsShown} more teams.`] : []),
  ];
  return lines.length === 0 ? undefined : ["<still-there>", ...lines, "</still-there>"].join("\n");
}

const agentLine = ({ id, name, description }: OngoingAgent) =>
  `- ${name === undefined ? id : `${line(name)} (${id})`}: ${line(description)}`;

const section = (heading: string, lines: readonly string[]) => (lines.length === 0 ? [] : [heading, ...lines]);

const newest = (lines: readonly string[]) =>
  lines.length <= shown ? lines : [...lines.slice(-shown), `- and ${lines.length - shown} more before these`];

export function ongoingTeamLines({ heading, members, tasks, unlanded = [] }: OngoingTeam): readonly string[] {
  const open = tasks?.filter(isOpenTask) ?? [];
  const { length } = members;
  return [
    ...(heading === undefined ? [] : [line(heading)]),
    ...members.slice(0, shown).map((member) => `- ${line(member)}`),
    ...(length > shown ? [`- and ${length - shown} more`] : []),
    ...section(
      "Open tasks:",
      open.slice(0, shown).map((task) => line(taskLine(task, tasks ?? []), taskLimit)),
    ),
    ...(open.length > shown ? [`and ${open.length - shown} more, which TaskList shows`] : []),
    ...(tasks === undefined ? ["The task list could not be read just now. Use TaskList to see it."] : []),
    ...section(
      "Work that is not on your branch:",
      unlandedLines(unlanded).map((each) => line(each, taskLimit)),
    ),
  ];
}

/** One line for each text, the newest ones if there are too many. */
export const boundedLines = (texts: readonly string[]): readonly string[] =>
  newest(texts.map((text) => `- ${line(text)}`));

/** Room for a subject, an owner and some blockers. */
const taskLimit = 320;

const line = (text: string, limit = 200) => escapeSenders(text.replace(/\s+/g, " ").slice(0, limit));
