import type { Command } from "commander";
import { TroupeError } from "../../protocol/index.ts";
import type { AddFlags, TasksFlags } from "../commands/tasks.ts";
import { busOptionHelp, setBusEnv } from "../run/bus-option.ts";
import { teamStoreOptionHelp, setTeamStoreEnv } from "../run/team-store-option.ts";

type Subcommand = (parent: Command, name: string, description: string) => Command;

/** Registers `troupe team …` and `troupe tasks …`. Each command loads its module when it is called. */
export function registerTeamCommands(program: Command, subcommand: Subcommand, exit: (code: number) => void): void {
  registerTeam(subcommand(program, "team", "manage teams: members, mail and tasks"), subcommand, exit);
  registerTasks(subcommand(program, "tasks", "manage the task list of a team or a session"), subcommand, exit);
}

function registerTeam(team: Command, subcommand: Subcommand, exit: (code: number) => void): void {
  const json = (name: string, description: string, how = "print JSON") =>
    subcommand(team, name, description)
      .option("--json", how)
      .option("--bus <url>", busOptionHelp, setBusEnv)
      .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv);
  const ofMember = (name: string, description: string, how?: string) =>
    json(name, description, how).argument("<name>").argument("<member>");
  json("create", "create a team; adds a number if the name is in use")
    .argument("<name>")
    .option("--description <text>", "purpose of the team")
    .option("--member <name>", "member run by an external program or a person; repeatable", collect)
    .action(async (name: string, flags: { description?: string; member?: string[]; json?: boolean }) => {
      exit(await (await import("../commands/team.ts")).create(name, flags));
    });
  json("list", "list the teams").action(async (flags: { json?: boolean }) => {
    exit(await (await import("../commands/team.ts")).list(flags));
  });
  json("show", "show a team's members and their activity")
    .argument("<name>")
    .action(async (name: string, flags: { json?: boolean }) => {
      exit(await (await import("../commands/team.ts")).show(name, flags));
    });
  json("log", "show a team's events: members, mail, tasks", "print JSON lines")
    .argument("<name>")
    .option("-f, --follow", "also print new events until Ctrl-C")
    .action(async (name: string, flags: { follow?: boolean; json?: boolean }) => {
      exit(await (await import("./team-log.ts")).log(name, flags));
    });
  json("send", "send mail to a member, or to all members with '*'")
    .argument("<name>")
    .argument("<to>")
    .argument("<text...>")
    .option("--from <member>", "member to send as (default: the user)")
    .option("--urgent", "interrupt the member's current turn")
    .action(
      async (name: string, to: string, text: string[], flags: { from?: string; urgent?: boolean; json?: boolean }) => {
        exit(await (await import("./team-mail.ts")).send(name, { to, text }, flags));
      },
    );
  ofMember("inbox", "show a member's mail without marking it as read", "print JSON; with --follow, JSON lines")
    .option("-f, --follow", "also print new mail until Ctrl-C")
    .option("--unread", "only unread mail")
    .action(async (name: string, member: string, flags: { follow?: boolean; unread?: boolean; json?: boolean }) => {
      exit(await (await import("./team-mail.ts")).inbox(name, member, flags));
    });
  ofMember("stop", "ask a member to shut down, and release its tasks")
    .option("--now", "stop it without asking")
    .option("--reason <text>", "reason, shown to the member")
    .action(async (name: string, member: string, flags: { now?: boolean; reason?: string; json?: boolean }) => {
      exit(await (await import("./stop-and-respawn.ts")).stop(name, member, flags));
    });
  ofMember("respawn", "respawn an ended member from its last state").action(
    async (name: string, member: string, flags: { json?: boolean }) => {
      exit(await (await import("./stop-and-respawn.ts")).respawn(name, member, flags));
    },
  );
  ofMember("hide", "hide a member's pane; the member keeps running").action(
    async (name: string, member: string, flags: { json?: boolean }) => {
      exit(await (await import("./show-and-hide-panes.ts")).hidePane(name, member, flags));
    },
  );
  ofMember("show-pane", "show a hidden pane, and print how to attach to it").action(
    async (name: string, member: string, flags: { json?: boolean }) => {
      exit(await (await import("./show-and-hide-panes.ts")).showPane(name, member, flags));
    },
  );
  json("delete", "delete a team and its files, unless members are running")
    .argument("<name>")
    .option("--force", "delete even while members are running")
    .action(async (name: string, flags: { force?: boolean; json?: boolean }) => {
      exit(await (await import("../commands/team.ts")).remove(name, flags));
    });
}

function registerTasks(tasks: Command, subcommand: Subcommand, exit: (code: number) => void): void {
  const common = (name: string, description: string) =>
    subcommand(tasks, name, description)
      .option("--team <name>", "team (default: the only team)")
      .option("--session <id>", "session without a team")
      .option("--as <member>", "member to act as (default: the user)")
      .option("--bus <url>", busOptionHelp, setBusEnv)
      .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv)
      .option("--json", "print JSON");
  common("list", "list the open tasks")
    .option("--all", "include completed tasks")
    .option("-f, --follow", "also print changes until Ctrl-C; with --json, JSON lines")
    .action(async (flags: TasksFlags & { all?: boolean; follow?: boolean }) => {
      exit(await (await import("../commands/tasks.ts")).listTasks(flags));
    });
  common("add", "add a task")
    .argument("<subject...>")
    .option("--description <text>", "what to do, and when it counts as done")
    .option("--blocked-by <id>", "task that must be completed first; repeatable", collectTasks)
    .option("--needs <tool>", "tool that an agent needs for the task; repeatable", collect)
    .option("--check <command>", "command that checks the completed task; repeatable", collect)
    .action(async (subject: string[], flags: AddFlags) => {
      exit(await (await import("../commands/tasks.ts")).addTask(subject, flags));
    });
  common("claim", "claim a task; exit 1 if it is not available")
    .argument("<id>", "", taskNumber)
    .action(async (id: number, flags: TasksFlags) => {
      exit(await (await import("../commands/tasks.ts")).claimTask(id, flags));
    });
  common("release", "release a task")
    .argument("<id>", "", taskNumber)
    .action(async (id: number, flags: TasksFlags) => {
      exit(await (await import("../commands/tasks.ts")).releaseTask(id, flags));
    });
  common("done", "complete a task")
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
