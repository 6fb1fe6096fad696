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
import { collect, portNumber, positiveNumber, subcommand } from "./subcommand.ts";
import { registerTeamCommands } from "./team/register-team-commands.ts";
import type { TeammateFlags } from "./teammate/run-teammate-command.ts";
import type { TrustFlags } from "./commands/trust.ts";
import { setBusEnv } from "./run/bus-option.ts";
import type { WebFlags } from "./commands/web.ts";
import { addWorkerCommand } from "./commands/add-worker-command.ts";

/** Reads the command line and loads only what the command needs. Gives back the exit code. */
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
    throw new TroupeError("usage", `${oneLine(error.message)}; 'troupe --help' lists what there is`, { cause: error });
  }
  return exitCode;
}

/** A command that is only there for those below it. */
function unknownSubcommandError(program: Program, argv: readonly string[]): TroupeError {
  const command = argv.reduce((at, word) => at.commands.find((each) => each.name() === word) ?? at, program);
  const below = command.commands.map((each) => each.name()).filter((name) => name !== "help");
  const words = `troupe ${command.name()}`;
  return new TroupeError("usage", `${words} what? There is: ${below.join(", ")}; '${words} --help' says more`);
}

/** With -p the words are a prompt, also where one of them is a command's name; and describing all commands takes time. */
const isPrint = (argv: readonly string[]) =>
  argv[0]?.startsWith("-") &&
  argv.some((word) => word === "-p" || word === "--print") &&
  !argv.some((word) => word === "-h" || word === "--help");

/** What follows `--web` is a port only if it looks like one; a prompt stays a prompt. */
const withPort = (word: string, at: number, argv: readonly string[]) =>
  word === "--web" && !/^\d+$/.test(argv[at + 1] ?? "") ? "--web=0" : word;

function buildRun(exit: (code: number) => void): Program {
  const program = new Program("troupe")
    .description("A coding agent that works as a team. With -p it answers one prompt and leaves.")
    .version(version, "-v, --version")
    .argument("[prompt...]", "what to do")
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

/** One word that is almost a command is no prompt. */
function refuseTypo([word, ...more]: readonly string[], { commands }: Program): void {
  if (word === undefined || word.length < 4 || more.length > 0 || /\s/.test(word)) return;
  const suggestion = nearestName(
    word,
    commands.map((command) => command.name()),
  );
  if (suggestion === undefined || suggestion[0] !== word[0]) return;
  throw new TroupeError(
    "usage",
    `there is no command ${word}: did you mean 'troupe ${suggestion}'? As a prompt say it in more words`,
  );
}

function addCommands(program: Program, exit: (code: number) => void): void {
  const sessions = subcommand(program, "sessions", "list, show, export and repair sessions");
  sessions
    .command("list", { isDefault: true })
    .description("the sessions of this project, newest first")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .option("--all", "of every project")
    .option("--json", "as JSON lines")
    .action(async (flags: { all?: boolean; json?: boolean }) => {
      const { listSessions } = await import("./commands/sessions.ts");
      await listSessions(flags);
    });
  subcommand(sessions, "show", "a session's transcript")
    .argument("<id>")
    .action(async (id: string) => {
      const { showSession } = await import("./commands/sessions.ts");
      await showSession(id);
    });
  subcommand(sessions, "export", "a session as Markdown, as a page that stands by itself, or its events as JSON lines")
    .argument("<id>")
    .addOption(new Option("--format <format>").choices(["markdown", "jsonl", "html"]).default("markdown"))
    .option("--html", "the same as --format html")
    .option("-o, --output <file>", "write to a file instead of standard output")
    .action(async (id: string, flags: ExportFlags) => {
      const { exportSession } = await import("./commands/sessions.ts");
      await exportSession(id, flags);
    });
  subcommand(sessions, "repair", "take damaged records out of a session's log; the damaged file is kept beside it")
    .argument("<id>")
    .action(async (id: string) => {
      const { repairSession } = await import("./commands/sessions.ts");
      await repairSession(id);
    });

  subcommand(program, "cost", "what a session cost, by agent and model; without one the newest of this folder")
    .argument("[session]", "its id")
    .option("--all", "add up the sessions of every folder")
    .option("--days <n>", "only what was spent in the last so many days", positiveNumber)
    .option("--json", "as JSON")
    .action(async (id: string | undefined, flags: CostFlags) => {
      const { cost } = await import("./commands/cost.ts");
      exit(await cost(id, flags));
    });
  subcommand(program, "schema", "the JSON schema of events (what stream-json prints) and commands (what it reads)")
    .argument("[which]", "events, commands or settings; without it all of them")
    .action(async (which: string | undefined) => {
      const { printSchema } = await import("./commands/schema.ts");
      await printSchema(which);
    });
  subcommand(program, "skills", "the skills and slash commands of this folder")
    .addArgument(new Argument("[list]", "the only thing it does").choices(["list"]))
    .option("--json", "as JSON")
    .action(async (_list: string | undefined, flags: { json?: boolean }) => {
      const { listSkills } = await import("./commands/skills.ts");
      await listSkills(flags);
    });
  const permissions = subcommand(program, "permissions", "the rules in force, and what they would say");
  permissions
    .command("list", { isDefault: true })
    .description("every rule, where it comes from, and what it hides")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .option("--json", "as JSON")
    .action(async (flags: { json?: boolean }) => {
      const { listPermissions } = await import("./commands/permissions.ts");
      await listPermissions(flags);
    });
  subcommand(permissions, "test", "what would become of a call, such as 'Bash(git push)'")
    .argument("[call...]", "a tool and what it touches")
    .option("--stdin", "judge command lines from standard input, one a line")
    .option("--json", "one JSON object a line: decision, rule, reason")
    .option("--allow <rule>", "with this rule as well; may be given again", collect)
    .option("--ask <rule>", "the same", collect)
    .option("--deny <rule>", "the same", collect)
    .addOption(new Option("--mode <mode>", "in this permission mode").choices(permissionModes))
    .action(async (calls: string[], flags: RuleFlags) => {
      const { testPermissions } = await import("./commands/permissions.ts");
      await testPermissions(calls, flags);
    });
  const bus = subcommand(program, "bus", "the NATS bus that teams on more than one machine share");
  subcommand(bus, "status", "its server, what it risks, its teams and who reads them")
    .option("--bus <url>", "this one; by default that of the settings", setBusEnv)
    .option("--json", "as JSON")
    .action(async (flags: { json?: boolean }) => {
      const { busStatus } = await import("./commands/bus.ts");
      exit(await busStatus(flags));
    });
  addWorkerCommand(program, subcommand, exit);
  subcommand(program, "doctor", "what this machine has, what is missing, and what to do about it")
    .option("--json", "as JSON")
    .action(async (flags: { json?: boolean }) => {
      const { runDoctor: doctor } = await import("./commands/doctor.ts");
      exit(await doctor(flags));
    });
  subcommand(program, "trust", "let a folder's own hooks, servers and settings act")
    .argument("[folder]", "by default this one")
    .option("--list", "the folders that are trusted")
    .option("--remove", "trust the folder no longer")
    .option("--yes", "do not ask whether that is meant")
    .option("--json", "the list as JSON lines")
    .action(async (folder: string | undefined, flags: TrustFlags) => {
      const { trust } = await import("./commands/trust.ts");
      exit(await trust(folder, flags));
    });
  addAgentsCommands(subcommand(program, "agents", "the types of agents there are, and what each may do"), exit);
  addMcpCommands(subcommand(program, "mcp", "list, test, add and remove MCP servers"), exit);
  addTeamCommands(program, exit);
  registerTeamCommands(program, subcommand, exit);
  subcommand(program, "web", "the dashboard of all sessions and teams on this machine, in the browser")
    .option("--port <port>", "at this port; without it 4747, or another one where that is taken", portNumber)
    .option("--no-open", "open no browser")
    .option("--bus <url>", "teams on this bus too, whose sessions are on other machines", setBusEnv)
    .option("--json", "the address as JSON")
    .action(async (flags: WebFlags) => {
      const { web } = await import("./commands/web.ts");
      exit(await web(flags));
    });
  subcommand(program, "demo", "a real run on the built-in scripted model: no key, no network")
    .option("--keep", "keep the sample repository and the session")
    .option("--fast", "without the pauses that make it readable")
    .option("--coordinator", "a coordinator and its workers instead")
    .action(async (flags: { keep?: boolean; fast?: boolean; coordinator?: boolean }) => {
      const { runDemo } = await import("../../demo/run-demo.ts");
      exit(await runDemo(flags));
    });
}

function addAgentsCommands(agents: Program, exit: (code: number) => void): void {
  const common = (command: Program) =>
    command
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .option("--json", "as JSON")
      .option("--agents <json-or-file>", "with these types as well, as in a run");
  common(agents.command("list", { isDefault: true }).description("of each name the definition that is used")).action(
    async (flags: AgentsFlags) => {
      const { listAgents } = await import("./commands/agents.ts");
      await listAgents(flags);
    },
  );
  common(
    agents.command("show").description("all about a type: its tools, model and permission mode; or what an agent did"),
  )
    .argument("<name-or-id>", "a type, or the id, path or name of an agent that has worked")
    .option(
      "--session <id>",
      "look for the agent in this session; without it in those of this folder, the newest first",
    )
    .addOption(new Option("--mode <mode>", "tools as under a parent in this mode").choices(permissionModes))
    .action(async (name: string, flags: AgentsFlags) => {
      const { showAgent } = await import("./commands/agents.ts");
      await showAgent(name, flags);
    });
  common(agents.command("validate").description("what is wrong with the definitions; exit 1 if anything is"))
    .argument("[file...]", "these files instead of the ones in force")
    .action(async (files: string[], flags: AgentsFlags) => {
      const { validateAgents } = await import("./commands/agents.ts");
      exit(await validateAgents(files, flags));
    });
}

function addTeamCommands(program: Program, exit: (code: number) => void): void {
  const worktree = subcommand(program, "worktree", "the worktrees of agents in this repository");
  worktree
    .command("list", { isDefault: true })
    .description("each with its branch, its state, and what it holds")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .option("--json", "as JSON lines")
    .action(async (flags: { json?: boolean }) => {
      const { printWorktrees: listAll } = await import("./commands/worktree.ts");
      exit(await listAll(flags));
    });
  subcommand(worktree, "prune", "remove those that hold nothing, and put in order what killed sessions left")
    .option("--dry-run", "say what would be done")
    .option("--json", "as JSON lines")
    .action(async (flags: { dryRun?: boolean; json?: boolean }) => {
      const { pruneAndPrint: prune } = await import("./commands/worktree.ts");
      exit(await prune(flags));
    });
  program
    .command("teammate", { hidden: true })
    .description("one member of a team in this process; Troupe runs this itself, in a pane")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .requiredOption("--team <team>", "the team it belongs to")
    .requiredOption("--name <name>", "its name there")
    .action(async (flags: TeammateFlags) => {
      const { runTeammateCommand: runTeammate } = await import("./teammate/run-teammate-command.ts");
      exit(await runTeammate(flags));
    });
  addSessionOptions(
    subcommand(program, "acp", "let an editor drive sessions: the Agent Client Protocol on standard input and output"),
  ).action(async (flags: Partial<RunFlags>) => {
    exit(await (await import("./commands/acp.ts")).runAcp(flags));
  });
  subcommand(program, "land", "bring finished branches to the current one: rebased, checked, all or nothing")
    .argument("[branches...]")
    .option("--check <command>", "run this on the result; without it, land.check of the settings")
    .option("--agent [type]", "let agents settle conflicts: the branch's author, else a new one of this type")
    .option("--model <model>", "for new agents that settle conflicts")
    .addOption(
      new Option("--permission-mode <mode>", "for agents that settle conflicts; acceptEdits if not said").choices([
        "acceptEdits",
        "dontAsk",
        "bypassPermissions",
      ]),
    )
    .option("--dry-run", "say what would land; runs no check")
    .option("--continue", "finish a landing that was interrupted, and land the rest of it")
    .option("--abort", "take an interrupted landing back")
    .option("--json", "the report as JSON")
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
