import { Argument, Command as Program, CommanderError, Option } from "commander";
import { nearestName, version } from "../platform/index.ts";
import { permissionModes, TroupeError } from "../protocol/index.ts";
import type { AgentsFlags } from "./commands/agents.ts";
import { exitCodes } from "./exit-codes.ts";
import type { ExportFlags } from "./commands/sessions.ts";
import type { LandFlags } from "./commands/land.ts";
import type { RuleFlags } from "./commands/permissions.ts";
import type { CostFlags } from "./commands/cost.ts";
import type { RunFlags } from "./run/run-flags.ts";
import { addMcpCommands } from "./commands/add-mcp-commands.ts";
import { addRunOptions, addSessionOptions } from "./run/run-options.ts";
import { collect, defaultSubcommand, oneLineErrors, portNumber, positiveNumber, subcommand } from "./subcommand.ts";
import { registerTeamCommands } from "./team/register-team-commands.ts";
import type { TeammateFlags } from "./teammate/run-teammate-command.ts";
import type { TrustFlags } from "./commands/trust.ts";
import { setBusEnv } from "./run/bus-option.ts";
import type { WebFlags } from "./commands/web.ts";
import { addWorkerCommand } from "./commands/add-worker-command.ts";

/** Parses the command line and loads only the modules that the command needs. Returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = buildRun(exit);
  if (!isPrint(argv)) addCommands(program, exit);
  try {
    await program.parseAsync(argv.map(withPort), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.done;
    if (error.code === "commander.help") throw unknownSubcommandError(program, argv);
    throw new TroupeError("usage", `${oneLine(error.message)}. Run 'troupe --help' to see all commands and options.`, {
      cause: error,
    });
  }
  return exitCode;
}

/** The error for a command that needs a subcommand. */
function unknownSubcommandError(program: Program, argv: readonly string[]): TroupeError {
  const command = argv.reduce((at, word) => at.commands.find((each) => each.name() === word) ?? at, program);
  const below = command.commands.map((each) => each.name()).filter((name) => name !== "help");
  const words = `troupe ${command.name()}`;
  return new TroupeError(
    "usage",
    `${words}: missing subcommand (one of: ${below.join(", ")}). Run '${words} --help' for details.`,
  );
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

function buildRun(exit: (code: number) => void): Program {
  const program = new Program("troupe")
    .description("A coding agent that works as a team. -p answers one prompt and exits.")
    .version(version, "-v, --version")
    .argument("[prompt...]", "task for the agent")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .enablePositionalOptions()
    .showSuggestionAfterError(true);
  addRunOptions(program).action(async (words: string[], flags: RunFlags) => {
    if (!flags.print) refuseTypo(words, program);
    const { runPrint: run } = await import("./run/run-print.ts");
    exit(await run(words.join(" "), flags));
  });
  return program;
}

/** Rejects a single word that is almost the name of a command. */
function refuseTypo([word, ...more]: readonly string[], { commands }: Program): void {
  if (word === undefined || word.length < 4 || more.length > 0 || /\s/.test(word)) return;
  const suggestion = nearestName(
    word,
    commands.map((command) => command.name()),
  );
  if (suggestion === undefined || suggestion[0] !== word[0]) return;
  throw new TroupeError(
    "usage",
    `there is no command ${word}: did you mean 'troupe ${suggestion}'? To use it as a prompt, add more words.`,
  );
}

function addCommands(program: Program, exit: (code: number) => void): void {
  const sessions = subcommand(program, "sessions", "list, show, export and repair sessions");
  defaultSubcommand(sessions, "list", "list the sessions of this project, newest first")
    .option("--all", "include every project")
    .option("--json", "print JSON lines")
    .action(async (flags: { all?: boolean; json?: boolean }) => {
      const { listSessions } = await import("./commands/sessions.ts");
      await listSessions(flags);
    });
  subcommand(sessions, "show", "print a session's transcript")
    .argument("<id>")
    .action(async (id: string) => {
      const { showSession } = await import("./commands/sessions.ts");
      await showSession(id);
    });
  subcommand(sessions, "export", "export a session as Markdown, HTML or JSON lines")
    .argument("<id>")
    .addOption(new Option("--format <format>").choices(["markdown", "jsonl", "html"]).default("markdown"))
    .option("--html", "same as --format html")
    .option("-o, --output <file>", "output file (default: stdout)")
    .action(async (id: string, flags: ExportFlags) => {
      const { exportSession } = await import("./commands/sessions.ts");
      await exportSession(id, flags);
    });
  subcommand(sessions, "repair", "remove damaged records from a session's log; keeps a copy")
    .argument("<id>")
    .action(async (id: string) => {
      const { repairSession } = await import("./commands/sessions.ts");
      await repairSession(id);
    });

  subcommand(program, "cost", "show the cost of a session by agent and model (default: the newest)")
    .argument("[session]", "id of the session")
    .option("--all", "total of the sessions of every folder")
    .option("--days <n>", "only the last <n> days", positiveNumber)
    .option("--json", "print JSON")
    .action(async (id: string | undefined, flags: CostFlags) => {
      const { cost } = await import("./commands/cost.ts");
      exit(await cost(id, flags));
    });
  subcommand(program, "schema", "print the JSON schema of events, commands and settings")
    .argument("[which]", "events, commands or settings (default: all)")
    .action(async (which: string | undefined) => {
      const { printSchema } = await import("./commands/schema.ts");
      await printSchema(which);
    });
  subcommand(program, "skills", "list the skills and slash commands of this folder")
    .addArgument(new Argument("[list]", "default subcommand").choices(["list"]))
    .option("--json", "print JSON")
    .action(async (_list: string | undefined, flags: { json?: boolean }) => {
      const { listSkills } = await import("./commands/skills.ts");
      await listSkills(flags);
    });
  const permissions = subcommand(program, "permissions", "list permission rules, or test them");
  defaultSubcommand(permissions, "list", "list every rule, its source, and the rules it hides")
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => {
      const { listPermissions } = await import("./commands/permissions.ts");
      await listPermissions(flags);
    });
  subcommand(permissions, "test", "show the permission decision for a call such as 'Bash(git push)'")
    .argument("[call...]", "tool and its argument")
    .option("--stdin", "read command lines from stdin, one on each line")
    .option("--json", "print JSON lines: decision, rule, reason")
    .option("--allow <rule>", "additional allow rule; repeatable", collect)
    .option("--ask <rule>", "additional ask rule; repeatable", collect)
    .option("--deny <rule>", "additional deny rule; repeatable", collect)
    .addOption(new Option("--mode <mode>", "permission mode").choices(permissionModes))
    .action(async (calls: string[], flags: RuleFlags) => {
      const { testPermissions } = await import("./commands/permissions.ts");
      await testPermissions(calls, flags);
    });
  const bus = subcommand(program, "bus", "inspect the NATS bus that teams on several machines share");
  subcommand(bus, "status", "show the server, its risks, its teams and their readers")
    .option("--bus <url>", "bus to inspect (default: from the settings)", setBusEnv)
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => {
      const { busStatus } = await import("./commands/bus.ts");
      exit(await busStatus(flags));
    });
  addWorkerCommand(program, subcommand, exit);
  subcommand(program, "doctor", "check what this machine provides and what is missing")
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => {
      const { runDoctor: doctor } = await import("./commands/doctor.ts");
      exit(await doctor(flags));
    });
  subcommand(program, "trust", "trust a folder's own hooks, servers and settings")
    .argument("[folder]", "folder to trust (default: the current one)")
    .option("--list", "list the trusted folders")
    .option("--remove", "remove the trust in the folder")
    .option("--yes", "skip the confirmation")
    .option("--json", "print the list as JSON lines")
    .action(async (folder: string | undefined, flags: TrustFlags) => {
      const { trust } = await import("./commands/trust.ts");
      exit(await trust(folder, flags));
    });
  addAgentsCommands(subcommand(program, "agents", "list, show and validate agent types"), exit);
  addMcpCommands(subcommand(program, "mcp", "list, test, add and remove MCP servers"), exit);
  addTeamCommands(program, exit);
  registerTeamCommands(program, subcommand, exit);
  subcommand(program, "web", "open the dashboard of all sessions and teams on this machine")
    .option("--port <port>", "port (default: 4747, or a free port if 4747 is in use)", portNumber)
    .option("--no-open", "do not open a browser")
    .option("--bus <url>", "also show the teams on this bus, including remote sessions", setBusEnv)
    .option("--json", "print the URL as JSON")
    .action(async (flags: WebFlags) => {
      const { web } = await import("./commands/web.ts");
      exit(await web(flags));
    });
  subcommand(program, "demo", "run a real team on a scripted model: no key, no network")
    .option("--keep", "keep the sample repository and the session")
    .option("--fast", "skip the pauses")
    .option("--coordinator", "show a coordinator and its workers instead")
    .action(async (flags: { keep?: boolean; fast?: boolean; coordinator?: boolean }) => {
      const { runDemo } = await import("../../demo/run-demo.ts");
      exit(await runDemo(flags));
    });
}

function addAgentsCommands(agents: Program, exit: (code: number) => void): void {
  const common = (command: Program) =>
    oneLineErrors(command)
      .option("--json", "print JSON")
      .option("--agents <json-or-file>", "additional agent types, as in a run");
  common(
    agents.command("list", { isDefault: true }).description("list the effective definition of each agent type"),
  ).action(async (flags: AgentsFlags) => {
    const { listAgents } = await import("./commands/agents.ts");
    await listAgents(flags);
  });
  common(agents.command("show").description("show an agent type, or the transcript of an agent that has run"))
    .argument("<name-or-id>", "agent type, or the id, path or name of an agent that has run")
    .option("--session <id>", "session to search for the agent (default: this folder's sessions)")
    .addOption(new Option("--mode <mode>", "permission mode of the parent").choices(permissionModes))
    .action(async (name: string, flags: AgentsFlags) => {
      const { showAgent } = await import("./commands/agents.ts");
      await showAgent(name, flags);
    });
  common(agents.command("validate").description("check agent definitions; exit 1 if one is invalid"))
    .argument("[file...]", "files to check (default: the effective definitions)")
    .action(async (files: string[], flags: AgentsFlags) => {
      const { validateAgents } = await import("./commands/agents.ts");
      exit(await validateAgents(files, flags));
    });
}

function addTeamCommands(program: Program, exit: (code: number) => void): void {
  const worktree = subcommand(program, "worktree", "list or prune the worktrees of agents in this repository");
  defaultSubcommand(worktree, "list", "list each worktree with its branch, state and changes")
    .option("--json", "print JSON lines")
    .action(async (flags: { json?: boolean }) => {
      const { printWorktrees: listAll } = await import("./commands/worktree.ts");
      exit(await listAll(flags));
    });
  subcommand(worktree, "prune", "remove empty worktrees and clean up after killed sessions")
    .option("--dry-run", "print what would be done, change nothing")
    .option("--json", "print JSON lines")
    .action(async (flags: { dryRun?: boolean; json?: boolean }) => {
      const { pruneAndPrint: prune } = await import("./commands/worktree.ts");
      exit(await prune(flags));
    });
  oneLineErrors(program.command("teammate", { hidden: true }))
    .description("run one team member in this process (started by Troupe in a pane)")
    .requiredOption("--team <team>", "team of the member")
    .requiredOption("--name <name>", "name of the member")
    .action(async (flags: TeammateFlags) => {
      const { runTeammateCommand: runTeammate } = await import("./teammate/run-teammate-command.ts");
      exit(await runTeammate(flags));
    });
  addSessionOptions(subcommand(program, "acp", "let an editor run sessions (Agent Client Protocol on stdio)")).action(
    async (flags: Partial<RunFlags>) => {
      exit(await (await import("./commands/acp.ts")).runAcp(flags));
    },
  );
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
    .action(async (branches: string[], flags: LandFlags) => {
      const { runLand } = await import("./commands/land.ts");
      exit(await runLand(branches, flags));
    });
}

const oneLine = (text: string) =>
  text
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .trim()
    .replace(/\.$/, "");
