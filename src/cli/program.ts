import { Argument, Command as Program, CommanderError, Option } from "commander";
import { nearestName } from "../platform/index.ts";
import { permissionModes, TroupeError } from "../protocol/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { refuseCommandWords } from "./help/refuse-command-words.ts";
import { addHelpCommands } from "./help/add-help-commands.ts";
import type { RunFlags } from "./run/run-flags.ts";
import { addMcpCommands } from "./commands/add-mcp-commands.ts";
import { addRunOptions, addSessionOptions } from "./run/run-options.ts";
import {
  collect,
  defaultSubcommand,
  oneLineErrors,
  portNumber,
  positiveNumber,
  type RunCommand,
  subcommand,
} from "./subcommand.ts";
import { registerTeamCommands } from "./team/register-team-commands.ts";
import { addWorkerCommand } from "./commands/add-worker-command.ts";

/** Parses the command line and loads only the modules that the command needs. Returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const run: RunCommand =
    (load) =>
    async (...args) => {
      const command = await load();
      exitCode = (await command(...(args.slice(0, -1) as Parameters<typeof command>))) ?? exitCode;
    };
  const program = buildRun(run);
  if (!isPrint(argv)) addCommands(program, run);
  try {
    await program.parseAsync(argv.map(withPort), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.done;
    throw usageError(program, argv, error);
  }
  return exitCode;
}

/** The error for words that the command line does not know, with the command whose help explains it. */
function usageError(program: Program, argv: readonly string[], cause: CommanderError): TroupeError {
  const { command, path, next } = commandOf(program, argv);
  const below = command.commands.map((each) => each.name()).filter((name) => name !== "help");
  const help = `Run '${path} --help' for details.`;
  if (cause.code === "commander.help")
    return new TroupeError("usage", `${path}: missing subcommand (one of: ${below.join(", ")}). ${help}`);
  if (cause.code === "commander.excessArguments" && next !== undefined && command !== program && below.length > 0) {
    const nearest = nearestName(next, below);
    const hint = nearest === undefined ? `There are: ${below.join(", ")}.` : `Did you mean '${path} ${nearest}'?`;
    return new TroupeError("usage", `there is no command '${path} ${next}'. ${hint}`, { cause });
  }
  return new TroupeError("usage", `${oneLine(cause.message)}. ${help}`, { cause });
}

/** The command that the first words name, and the word after them if it is not an option. */
function commandOf(program: Program, argv: readonly string[]) {
  let command = program;
  let path = "troupe";
  for (const word of argv) {
    const below = command.commands.find((each) => each.name() === word);
    if (!below) return { command, path, next: word.startsWith("-") ? undefined : word };
    command = below;
    path += ` ${word}`;
  }
  return { command, path, next: undefined };
}

/**
 * With -p the words are a prompt, even if one of them is the name of a command. It also skips the time to describe all
 * commands.
 */
const isPrint = (argv: readonly string[]) =>
  argv[0]?.startsWith("-") &&
  argv.some((word) => word === "-p" || word === "--print") &&
  !argv.some((word) => word === "-h" || word === "--help");

/** `--web` takes the next word as its port only if that is a number. Otherwise the word belongs to the prompt. */
const withPort = (word: string, at: number, argv: readonly string[]) =>
  word === "--web" && !/^\d+$/.test(argv[at + 1] ?? "") ? "--web=0" : word;

const examples = `
Examples:
  troupe                                         work in this folder
  troupe "fix the failing test"                  start with a task
  troupe -p "explain src/app.ts"                 print the answer and exit
  troupe "make a team of three to review this"   let a team work
  troupe --continue                              continue the newest session`;

function buildRun(run: RunCommand): Program {
  const program = new Program("troupe")
    .description("A coding agent that works as a team. -p answers one prompt and exits.")
    .argument("[prompt...]", "task for the agent")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .enablePositionalOptions()
    .showSuggestionAfterError(true)
    .helpCommand(false)
    .addHelpText("after", examples);
  addRunOptions(program).action(
    run(async () => async (words: string[], flags: RunFlags) => {
      if (!flags.print) refuseCommandWords(words, program);
      const { runPrint } = await import("./run/run-print.ts");
      return runPrint(words.join(" "), flags);
    }),
  );
  return program;
}

function addCommands(program: Program, run: RunCommand): void {
  program.commandsGroup("Sessions:");
  const sessions = subcommand(program, "sessions", "list, show, export, rewind, fork and repair sessions");
  defaultSubcommand(sessions, "list", "list the sessions of this project, newest first")
    .option("--all", "include every project")
    .option("--json", "print JSON lines")
    .action(run(async () => (await import("./commands/sessions.ts")).listSessions));
  subcommand(sessions, "show", "print a session's transcript")
    .argument("<id>")
    .action(run(async () => (await import("./commands/sessions.ts")).showSession));
  subcommand(sessions, "export", "export a session as Markdown, HTML or JSON lines")
    .argument("<id>")
    .addOption(new Option("--format <format>").choices(["markdown", "jsonl", "html"]).default("markdown"))
    .option("--html", "same as --format html")
    .option("-o, --output <file>", "output file (default: stdout)")
    .action(run(async () => (await import("./commands/sessions.ts")).exportSession));
  subcommand(sessions, "repair", "remove damaged records from a session's log; keeps a copy")
    .argument("<id>")
    .action(run(async () => (await import("./commands/sessions.ts")).repairSession));
  subcommand(sessions, "rewind", "go back to a prompt: files, conversation or both; lists prompts")
    .argument("<id>")
    .argument("[point]", "id of the prompt, or of an earlier rewind")
    .addOption(new Option("--only <part>", "restore only this").choices(["files", "conversation"]))
    .option("--json", "print JSON")
    .action(run(async () => (await import("./commands/rewind.ts")).rewind));
  subcommand(sessions, "fork", "start a new session from any moment of a session")
    .argument("<id>")
    .option("--at <event>", "id or number of the event, or id of a prompt (default: the end)")
    .option("--json", "print JSON")
    .action(run(async () => (await import("./commands/rewind.ts")).forkSession));
  subcommand(program, "diff", "show the files that a session changed (default: the newest)")
    .argument("[session]", "id of the session")
    .option("--prompt <id>", "only the changes after this prompt, until the next")
    .option("--agent <name>", "only the changes of this agent")
    .option("--stat", "table of files instead of a patch")
    .action(run(async () => (await import("./commands/rewind.ts")).diff));

  subcommand(program, "cost", "show the cost of a session by agent and model (default: the newest)")
    .argument("[session]", "id of the session")
    .option("--all", "total of the sessions of every folder")
    .option("--days <n>", "only the last <n> days", positiveNumber)
    .option("--json", "print JSON")
    .action(run(async () => (await import("./commands/cost.ts")).cost));
  program.commandsGroup("Settings and set-up:");
  subcommand(program, "schema", "print the JSON schema of events, commands and settings")
    .argument("[which]", "events, commands or settings (default: all)")
    .action(run(async () => (await import("./commands/schema.ts")).printSchema));
  subcommand(program, "skills", "list the skills and slash commands of this folder")
    .addArgument(new Argument("[list]", "default subcommand").choices(["list"]))
    .option("--json", "print JSON")
    .action(
      run(async () => {
        const { listSkills } = await import("./commands/skills.ts");
        return (_list: string | undefined, flags: { json?: boolean }) => listSkills(flags);
      }),
    );
  const permissions = subcommand(program, "permissions", "list permission rules, or test them");
  defaultSubcommand(permissions, "list", "list every rule, its source, and the rules it hides")
    .option("--json", "print JSON")
    .action(run(async () => (await import("./commands/permissions.ts")).listPermissions));
  subcommand(permissions, "test", "show the permission decision for a call such as 'Bash(git push)'")
    .argument("[call...]", "tool and its argument")
    .option("--stdin", "read command lines from stdin, one on each line")
    .option("--json", "print JSON lines: decision, rule, reason")
    .option("--allow <rule>", "additional allow rule; repeatable", collect)
    .option("--ask <rule>", "additional ask rule; repeatable", collect)
    .option("--deny <rule>", "additional deny rule; repeatable", collect)
    .addOption(new Option("--mode <mode>", "permission mode").choices(permissionModes))
    .action(run(async () => (await import("./commands/permissions.ts")).testPermissions));
  program.commandsGroup("Several machines:");
  const bus = subcommand(program, "bus", "inspect the NATS bus that teams on several machines share");
  subcommand(bus, "status", "show the server, its risks, its teams and their readers")
    .option("--bus <url>", "bus to inspect (default: from the settings)")
    .option("--json", "print JSON")
    .action(run(async () => (await import("./commands/bus.ts")).busStatus));
  addWorkerCommand(program, run);
  program.commandsGroup("Settings and set-up:");
  subcommand(program, "doctor", "check what this machine provides and what is missing")
    .option("--json", "print JSON")
    .action(run(async () => (await import("./commands/doctor.ts")).runDoctor));
  subcommand(program, "trust", "trust a folder's own hooks, servers and settings")
    .argument("[folder]", "folder to trust (default: the current one)")
    .option("--list", "list the trusted folders")
    .option("--remove", "remove the trust in the folder")
    .option("--yes", "skip the confirmation")
    .option("--json", "print the list as JSON lines")
    .action(run(async () => (await import("./commands/trust.ts")).trust));
  addAgentsCommands(subcommand(program, "agents", "list, show and validate agent types"), run);
  addMcpCommands(subcommand(program, "mcp", "list, test, add and remove MCP servers"), run);
  program.commandsGroup("Teams and their work:");
  addTeamCommands(program, run);
  registerTeamCommands(program, run);
  program.commandsGroup("Other ways to work:");
  addSessionOptions(subcommand(program, "acp", "let an editor run sessions (Agent Client Protocol on stdio)")).action(
    run(async () => (await import("./commands/acp.ts")).runAcp),
  );
  subcommand(program, "web", "open the dashboard of all sessions and teams on this machine")
    .option("--port <port>", "port (default: 4747, or a free port if 4747 is in use)", portNumber)
    .option("--no-open", "do not open a browser")
    .option("--bus <url>", "also show the teams on this bus, including remote sessions")
    .option("--json", "print the URL as JSON")
    .action(run(async () => (await import("./commands/web.ts")).web));
  subcommand(program, "demo", "run a real team on a scripted model: no key, no network")
    .option("--keep", "keep the sample repository and the session")
    .option("--fast", "skip the pauses")
    .option("--coordinator", "show a coordinator and its workers instead")
    .option("--web [port]", "show it in the dashboard too, until Ctrl-C", portNumber)
    .action(run(async () => (await import("../../demo/run-demo.ts")).runDemo));
  program.commandsGroup("Help:");
  addHelpCommands(program);
}

function addAgentsCommands(agents: Program, run: RunCommand): void {
  const common = (command: Program) =>
    oneLineErrors(command)
      .option("--json", "print JSON")
      .option("--agents <json-or-file>", "additional agent types, as in a run");
  common(
    agents.command("list", { isDefault: true }).description("list the effective definition of each agent type"),
  ).action(run(async () => (await import("./commands/agents.ts")).listAgents));
  common(agents.command("show").description("show an agent type, or the transcript of an agent that has run"))
    .argument("<name-or-id>", "agent type, or the id, path or name of an agent that has run")
    .option("--session <id>", "session to search for the agent (default: this folder's sessions)")
    .addOption(new Option("--mode <mode>", "permission mode of the parent").choices(permissionModes))
    .action(run(async () => (await import("./commands/agents.ts")).showAgent));
  common(agents.command("validate").description("check agent definitions; exit 1 if one is invalid"))
    .argument("[file...]", "files to check (default: the effective definitions)")
    .action(run(async () => (await import("./commands/agents.ts")).validateAgents));
}

function addTeamCommands(program: Program, run: RunCommand): void {
  const worktree = subcommand(program, "worktree", "list or prune the worktrees of agents in this repository");
  defaultSubcommand(worktree, "list", "list each worktree with its branch, state and changes")
    .option("--json", "print JSON lines")
    .action(run(async () => (await import("./commands/worktree.ts")).printWorktrees));
  subcommand(worktree, "prune", "remove empty worktrees and clean up after killed sessions")
    .option("--dry-run", "print what would be done, change nothing")
    .option("--json", "print JSON lines")
    .action(run(async () => (await import("./commands/worktree.ts")).pruneAndPrint));
  oneLineErrors(program.command("teammate", { hidden: true }))
    .description("run one team member in this process (started by Troupe in a pane)")
    .requiredOption("--team <team>", "team of the member")
    .requiredOption("--name <name>", "name of the member")
    .action(run(async () => (await import("./teammate/run-teammate-command.ts")).runTeammateCommand));
  subcommand(program, "land", "rebase, check and land finished branches, all or nothing")
    .argument("[branches...]")
    .option("--check <command>", "command that checks the result (default: the setting land.check)")
    .option("--agent [type]", "let agents resolve conflicts: the branch's author, or a new agent")
    .option("--model <model>", "model of new agents that resolve conflicts")
    .addOption(
      new Option("--permission-mode <mode>", "mode of agents that resolve conflicts (default: acceptEdits)").choices([
        "acceptEdits",
        "dontAsk",
        "bypassPermissions",
      ]),
    )
    .option("--dry-run", "print what would land; runs no check")
    .option("--continue", "finish an interrupted landing, then land its remaining branches")
    .option("--abort", "undo an interrupted landing")
    .option("--json", "print the report as JSON")
    .action(run(async () => (await import("./commands/land.ts")).runLand));
}

const oneLine = (text: string) =>
  text
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .trim()
    .replace(/\.$/, "");
