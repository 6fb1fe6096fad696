import type { Command } from "commander";
import { TroupeError } from "../../protocol/index.ts";
import type { AddFlags, TasksFlags } from "../commands/tasks.ts";
import { busOptionHelp, setBusEnv } from "../run/bus-option.ts";
import { teamStoreOptionHelp, setTeamStoreEnv } from "../run/team-store-option.ts";

type Subcommand = (parent: Command, name: string, description: string) => Command;

/** `troupe team …` and `troupe tasks …`; each loads what it needs when it is called. */
export function registerTeamCommands(program: Command, subcommand: Subcommand, exit: (code: number) => void): void {
  registerTeam(
    subcommand(program, "team", "teams of agents and programs: their members, mail and work"),
    subcommand,
    exit,
  );
  registerTasks(subcommand(program, "tasks", "the task list of a team or a session"), subcommand, exit);
}

function registerTeam(team: Command, subcommand: Subcommand, exit: (code: number) => void): void {
  const json = (name: string, description: string, how = "as JSON") =>
    subcommand(team, name, description)
      .option("--json", how)
      .option("--bus <url>", busOptionHelp, setBusEnv)
      .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv);
  json("create", "make a team; a name that is taken gets a number")
    .argument("<name>")
    .option("--description <text>", "what it is for")
    .option("--member <name>", "somebody that a program or a person speaks for; may be given again", collect)
    .action(async (name: string, flags: { description?: string; member?: string[]; json?: boolean }) => {
      exit(await (await import("../commands/team.ts")).create(name, flags));
    });
  json("list", "the teams there are").action(async (flags: { json?: boolean }) => {
    exit(await (await import("../commands/team.ts")).list(flags));
  });
  json("show", "its members and what each does")
    .argument("<name>")
    .action(async (name: string, flags: { json?: boolean }) => {
      exit(await (await import("../commands/team.ts")).show(name, flags));
    });
  json("log", "what happened in it: who came and went, mail, tasks", "one JSON object a line")
    .argument("<name>")
    .option("-f, --follow", "and whatever comes, until Ctrl-C")
    .action(async (name: string, flags: { follow?: boolean; json?: boolean }) => {
      exit(await (await import("./team-log.ts")).log(name, flags));
    });
  json("send", "send mail to a member, or to everybody with '*'")
    .argument("<name>")
    .argument("<to>")
    .argument("<text...>")
    .option("--from <member>", "in the name of a member that you speak for; by default you")
    .option("--urgent", "interrupt what it is doing")
    .action(
      async (name: string, to: string, text: string[], flags: { from?: string; urgent?: boolean; json?: boolean }) => {
        exit(await (await import("./team-mail.ts")).send(name, { to, text }, flags));
      },
    );
  json("inbox", "the mail of a member; looking marks nothing as read", "as JSON, with --follow one object a line")
    .argument("<name>")
    .argument("<member>")
    .option("-f, --follow", "and whatever comes, until Ctrl-C")
    .option("--unread", "only what is not read yet")
    .action(async (name: string, member: string, flags: { follow?: boolean; unread?: boolean; json?: boolean }) => {
      exit(await (await import("./team-mail.ts")).inbox(name, member, flags));
    });
  json("stop", "ask a member to end; its open tasks go back on the list")
    .argument("<name>")
    .argument("<member>")
    .option("--now", "end it without asking it")
    .option("--reason <text>", "why; it is told")
    .action(async (name: string, member: string, flags: { now?: boolean; reason?: string; json?: boolean }) => {
      exit(await (await import("./stop-and-respawn.ts")).stop(name, member, flags));
    });
  json("respawn", "bring a member back that has ended, from where it was")
    .argument("<name>")
    .argument("<member>")
    .action(async (name: string, member: string, flags: { json?: boolean }) => {
      exit(await (await import("./stop-and-respawn.ts")).respawn(name, member, flags));
    });
  json("hide", "put the pane of a member out of sight; it works on")
    .argument("<name>")
    .argument("<member>")
    .action(async (name: string, member: string, flags: { json?: boolean }) => {
      exit(await (await import("./show-and-hide-panes.ts")).hidePane(name, member, flags));
    });
  json("show-pane", "put a pane back beside the others, and say how to look at it")
    .argument("<name>")
    .argument("<member>")
    .action(async (name: string, member: string, flags: { json?: boolean }) => {
      exit(await (await import("./show-and-hide-panes.ts")).showPane(name, member, flags));
    });
  json("delete", "delete a team and all its files; refused while members are at work")
    .argument("<name>")
    .option("--force", "whoever is at work")
    .action(async (name: string, flags: { force?: boolean; json?: boolean }) => {
      exit(await (await import("../commands/team.ts")).remove(name, flags));
    });
}

function registerTasks(tasks: Command, subcommand: Subcommand, exit: (code: number) => void): void {
  const common = (name: string, description: string) =>
    subcommand(tasks, name, description)
      .option("--team <name>", "of this team; by default of the only one there is")
      .option("--session <id>", "of this session, which has no team")
      .option("--as <member>", "in the name of a member that you speak for; by default you")
      .option("--bus <url>", busOptionHelp, setBusEnv)
      .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv)
      .option("--json", "as JSON");
  common("list", "the open tasks")
    .option("--all", "completed ones too")
    .option("-f, --follow", "and every change, until Ctrl-C; with --json one object a line")
    .action(async (flags: TasksFlags & { all?: boolean; follow?: boolean }) => {
      exit(await (await import("../commands/tasks.ts")).listTasks(flags));
    });
  common("add", "add a task")
    .argument("<subject...>")
    .option("--description <text>", "what is to be done, and what done means")
    .option("--blocked-by <id>", "not before this one; may be given again", collectTasks)
    .option("--needs <tool>", "only for agents that have this tool; may be given again", collect)
    .option("--check <command>", "run by Troupe when an agent says that it is done; may be given again", collect)
    .action(async (subject: string[], flags: AddFlags) => {
      exit(await (await import("../commands/tasks.ts")).addTask(subject, flags));
    });
  common("claim", "take a task; exit 1 if it is not to be had")
    .argument("<id>", "", taskNumber)
    .action(async (id: number, flags: TasksFlags) => {
      exit(await (await import("../commands/tasks.ts")).claimTask(id, flags));
    });
  common("release", "give a task back")
    .argument("<id>", "", taskNumber)
    .action(async (id: number, flags: TasksFlags) => {
      exit(await (await import("../commands/tasks.ts")).releaseTask(id, flags));
    });
  common("done", "say that a task is done")
    .argument("<id>", "", taskNumber)
    .action(async (id: number, flags: TasksFlags) => {
      exit(await (await import("../commands/tasks.ts")).finishTask(id, flags));
    });
}

const collect = (text: string, before: readonly string[] = []) => [...before, text];

const collectTasks = (text: string, before: readonly number[] | undefined) => [...(before ?? []), taskNumber(text)];

function taskNumber(text: string): number {
  const id = Number(/^#?(\d{1,15})$/.exec(text)?.[1]);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new TroupeError("usage", `${JSON.stringify(text)} is not the number of a task`);
}
