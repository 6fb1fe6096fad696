import { homedir } from "node:os";
import {
  isExternal,
  type Member,
  type MemberStatus,
  type Team,
  teamLead,
  type WorkItem,
} from "../../protocol/index.ts";
import type { StoreOptions } from "../../session/index.ts";
import { claudeCommand, type StoredTeam } from "../../store/index.ts";
import { createTeam } from "../../team/index.ts";
import { createIdFactory, systemClock } from "../../platform/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "../team/open-teams.ts";
import { memberStyle, formatMinute, printJson, stdoutScreen, printWarnings } from "../team/command-output.ts";

/** Creates a team that agents, programs and people can join. */
export async function create(
  name: string,
  flags: StoreOptions & { description?: string; member?: readonly string[]; json?: boolean },
): Promise<number> {
  const { home, cwd, bus, claudeFolder } = await openTeams(flags);
  const { description, member: members } = flags;
  const place = { home, cwd, bus, claudeFolder, clock: systemClock, createId: createIdFactory(systemClock) };
  const team = await createTeam(name, { ...place, description, members });
  try {
    const record = await team.record.read();
    if (flags.json) printJson(record);
    else stdoutScreen().paragraph(`team ${record.name}: ${record.members.map((member) => member.name).join(", ")}`);
    if (!flags.json && claudeFolder !== undefined)
      for (const { name: who, command } of claudeCommands(record)) process.stdout.write(`to run ${who}:\n${command}\n`);
  } finally {
    await team.close();
  }
  return exitCodes.done;
}

/** The shell commands that start members in Claude Code. */
const claudeCommands = (team: Team) =>
  team.members.flatMap((member) =>
    isExternal(member) && !member.ended ? [{ name: member.name, command: claudeCommand(team, member) }] : [],
  );

const isRemote = ({ labels, branch }: NonNullable<Member["worker"]>): string =>
  `on a worker${labels.length === 0 ? "" : ` with ${labels.join(", ")}`}; its commits are on ${branch}`;

export async function list(flags: StoreOptions & { json?: boolean }): Promise<number> {
  const { teams } = await openTeams(flags);
  const summaries = await teams.list();
  const code = summaries.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.done;
  if (flags.json) {
    printJson(summaries);
    return code;
  }
  const screen = stdoutScreen();
  if (summaries.length === 0) screen.line("no teams. Create one with 'troupe team create NAME'.");
  for (const { name, team, problem } of summaries) {
    if (team === undefined) screen.paragraph(`${name}  ${problem ?? ""}`, { style: screen.paint.red });
    else screen.line(`${name}  ${formatMinute(team.createdAt)}  ${presentCount(team)}${summaryText(team.description)}`);
  }
  return code;
}

const summaryText = (description: string | undefined) => (description === undefined ? "" : `  ${description}`);

function presentCount({ members }: Team): string {
  const presence = members.filter(({ ended }) => ended === undefined).length;
  const removedTeams = members.length - presence;
  return `${presence} member${presence === 1 ? "" : "s"}${removedTeams === 0 ? "" : `, ${removedTeams} ended`}`;
}

/** Shows the members, the activity of each, and the state of the tasks. */
export async function show(name: string, flags: StoreOptions & { json?: boolean }): Promise<number> {
  const { teams, claudeFolder } = await openTeams(flags);
  const stored = await teams.open(name);
  try {
    const { team, status, tasks, mail, problems } = await overview(stored);
    const isTroupeTeam = claudeFolder !== undefined && !stored.reportsIdle?.(teamLead);
    if (flags.json) {
      printJson({ team, status, tasks: count(tasks), mail, problems });
      return exitCodes.done;
    }
    const screen = stdoutScreen();
    screen.line(`${team.name}${summaryText(team.description)}`, screen.paint.bold);
    screen.field("made", formatMinute(team.createdAt));
    if (team.leadSessionId !== undefined) screen.field("session", team.leadSessionId);
    const counted = Object.entries(count(tasks)).map(([state, number]) => `${number} ${state}`);
    screen.field("tasks", counted.length === 0 ? "none" : counted.join(", "));
    for (const { path, tool } of team.teamAllowedPaths) screen.field("allowed", `${tool} ${path}`);
    for (const [index, member] of team.members.entries()) {
      screen.line();
      screen.line(`${member.name}  ${stateText(status[index])}`, memberStyle(screen, member.color));
      for (const [field, value] of memberText(member, team.hiddenPaneIds)) screen.field(`  ${field}`, value);
      for (const each of isTroupeTeam ? claudeCommands(team) : [])
        if (each.name === member.name) process.stdout.write(`  ${each.command}\n`);
      const unread = mail[member.name];
      if (unread) screen.field("  mail", `${unread} unread`);
      for (const task of tasks) {
        if (task.owner === member.name && task.status !== "completed")
          screen.field("  task", `#${task.id} ${task.subject}`);
      }
    }
    printWarnings(problems);
    return exitCodes.done;
  } finally {
    await stored.close();
  }
}

async function overview(stored: StoredTeam) {
  const team = await stored.record.read();
  const status = await stored.presence.statusOf(team.members);
  const tasks = await stored.tasks.list();
  const mail: Record<string, number> = {};
  const problems = [...stored.record.problems(), ...stored.tasks.problems()];
  for (const { name } of team.members) {
    const reading = await stored.inbox(name).peek();
    mail[name] = reading.mail.filter(({ state }) => state !== "read").length;
    problems.push(...reading.problems);
  }
  return { team, status, tasks, mail, problems };
}

function count(tasks: readonly WorkItem[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function stateText(status: MemberStatus | undefined): string {
  if (status === undefined) return "";
  const { state, alive, detail } = status;
  const isSilent = alive === "unknown" && state === "starting" && detail === undefined;
  const word = isSilent ? "not seen yet" : alive === "dead" && state !== "ended" ? `dead, was ${state}` : state;
  return detail === undefined ? word : `${word} (${detail})`;
}

function memberText(member: Member, hidden: readonly string[]): [string, string][] {
  const pane = member.ended ? undefined : member.pane?.paneId;
  const fields: [string, string | undefined][] = [
    ["type", member.agentType],
    ["model", member.model],
    ["runs", member.worker ? isRemote(member.worker) : member.backendType],
    ["pane", pane !== undefined && hidden.includes(pane) ? `${pane} (hidden)` : pane],
    ["folder", (member.worktreePath ?? member.cwd).replace(homedir(), "~")],
    ["session", member.sessionId],
  ];
  return fields.filter((field): field is [string, string] => field[1] !== undefined);
}

export async function remove(name: string, flags: StoreOptions & { force?: boolean; json?: boolean }): Promise<number> {
  const { teams } = await openTeams(flags);
  await teams.delete(name, { force: flags.force ?? false });
  if (flags.json) printJson({ deleted: name });
  else stdoutScreen().line(`team ${name} is deleted`);
  return exitCodes.done;
}
