import type { Command } from "commander";
import { TroupeError } from "../../protocol/index.ts";
import type { StoreOptions } from "../../session/index.ts";
import { addStoreOptions } from "../run/store-options.ts";
import { collect, type RunCommand, subcommand } from "../subcommand.ts";

/** Registers `troupe team …` and `troupe tasks …`. Each command loads its module when it is called. */
export function registerTeamCommands(program: Command, run: RunCommand): void {
  registerTeam(subcommand(program, "team", "manage teams: members, mail and tasks"), run);
  registerTasks(subcommand(program, "tasks", "manage the task list of a team or a session"), run);
}

function registerTeam(team: Command, run: RunCommand): void {
  const json = (name: string, description: string, how = "print JSON") =>
    addStoreOptions(subcommand(team, name, description).option("--json", how));
  const ofMember = (name: string, description: string, how?: string) =>
    json(name, description, how).argument("<name>").argument("<member>");
  json("create", "create a team; adds a number if the name is in use")
    .argument("<name>")
    .option("--description <text>", "purpose of the team")
    .option("--member <name>", "member run by an external program or a person; repeatable", collect)
    .action(run(async () => (await import("../commands/team.ts")).create));
  json("list", "list the teams").action(run(async () => (await import("../commands/team.ts")).list));
  json("show", "show a team's members and their activity")
    .argument("<name>")
    .action(run(async () => (await import("../commands/team.ts")).show));
  json("log", "show a team's events: members, mail, tasks", "print JSON lines")
    .argument("<name>")
    .option("-f, --follow", "also print new events until Ctrl-C")
    .action(run(async () => (await import("./team-log.ts")).log));
  json("send", "send mail to a member, or to all members with '*'")
    .argument("<name>")
    .argument("<to>")
    .argument("<text...>")
    .option("--from <member>", "member to send as (default: the user)")
    .option("--urgent", "interrupt the member's current turn")
    .action(
      run(async () => {
        const { send } = await import("./team-mail.ts");
        return (
          name: string,
          to: string,
          text: string[],
          flags: StoreOptions & { from?: string; urgent?: boolean; json?: boolean },
        ) => send(name, { to, text }, flags);
      }),
    );
  ofMember("inbox", "show a member's mail without marking it as read", "print JSON; with --follow, JSON lines")
    .option("-f, --follow", "also print new mail until Ctrl-C")
    .option("--unread", "only unread mail")
    .action(run(async () => (await import("./team-mail.ts")).inbox));
  ofMember("stop", "ask a member to shut down, and release its tasks")
    .option("--now", "stop it without asking")
    .option("--reason <text>", "reason, shown to the member")
    .action(run(async () => (await import("./stop-and-respawn.ts")).stop));
  ofMember("respawn", "respawn an ended member from its last state").action(
    run(async () => (await import("./stop-and-respawn.ts")).respawn),
  );
  ofMember("hide", "hide a member's pane; the member keeps running").action(
    run(async () => (await import("./show-and-hide-panes.ts")).hidePane),
  );
  ofMember("show-pane", "show a hidden pane, and print how to attach to it").action(
    run(async () => (await import("./show-and-hide-panes.ts")).showPane),
  );
  json("delete", "delete a team and its files, unless members are running")
    .argument("<name>")
    .option("--force", "delete even while members are running")
    .action(run(async () => (await import("../commands/team.ts")).remove));
}

function registerTasks(tasks: Command, run: RunCommand): void {
  const common = (name: string, description: string) =>
    addStoreOptions(
      subcommand(tasks, name, description)
        .option("--team <name>", "team (default: the only team)")
        .option("--session <id>", "session without a team")
        .option("--as <member>", "member to act as (default: the user)"),
    ).option("--json", "print JSON");
  common("list", "list the open tasks")
    .option("--all", "include completed tasks")
    .option("-f, --follow", "also print changes until Ctrl-C; with --json, JSON lines")
    .action(run(async () => (await import("../commands/tasks.ts")).listTasks));
  common("add", "add a task")
    .argument("<subject...>")
    .option("--description <text>", "what to do, and when it counts as done")
    .option("--blocked-by <id>", "task that must be completed first; repeatable", collectTasks)
    .option("--needs <tool>", "tool that an agent needs for the task; repeatable", collect)
    .option("--check <command>", "command that checks the completed task; repeatable", collect)
    .action(run(async () => (await import("../commands/tasks.ts")).addTask));
  common("claim", "claim a task; exit 1 if it is not available")
    .argument("<id>", "", taskNumber)
    .action(run(async () => (await import("../commands/tasks.ts")).claimTask));
  common("release", "release a task")
    .argument("<id>", "", taskNumber)
    .action(run(async () => (await import("../commands/tasks.ts")).releaseTask));
  common("done", "complete a task")
    .argument("<id>", "", taskNumber)
    .action(run(async () => (await import("../commands/tasks.ts")).finishTask));
}

const collectTasks = (text: string, before: readonly number[] | undefined) => [...(before ?? []), taskNumber(text)];

function taskNumber(text: string): number {
  const id = Number(/^#?(\d{1,15})$/.exec(text)?.[1]);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new TroupeError("usage", `${JSON.stringify(text)} is not the number of a task`);
}
