import { type Command as Program, Option } from "commander";
import * as z from "zod";
import { version } from "../../platform/index.ts";
import { SessionOptions } from "../../protocol/index.ts";
import { portNumber, positiveInteger, positiveNumber } from "../subcommand.ts";
import { teamStoreHelp } from "./store-options.ts";

type OptionName = keyof SessionOptions;

/** The flag and the help of each session option. Their values are parsed as the schema says. */
const flags: { readonly [K in OptionName]-?: readonly [flag: string, help: string] } = {
  model: ["--model <model>", "anthropic/…, openai/…, local/…, scripted/FILE, or opus, sonnet, haiku"],
  permissionMode: ["--permission-mode <mode>", "permission mode: what agents may do without asking"],
  allowedTools: [
    "--allowedTools, --allowed-tools <tools...>",
    "tools or rules such as 'Bash(npm test)' that are always allowed",
  ],
  disallowedTools: ["--disallowedTools, --disallowed-tools <tools...>", "tools or rules that are always denied"],
  addDir: ["--add-dir <folders...>", "additional folders to work in"],
  appendSystemPrompt: ["--append-system-prompt <text>", "text to append to the system prompt"],
  settings: ["--settings <file-or-json>", "settings that override the settings files"],
  agents: ["--agents <json-or-file>", "additional agent types: { name: { description, prompt, … } }"],
  mcpConfig: ["--mcp-config <files-or-json...>", "additional MCP servers, in the form of .mcp.json"],
  strictMcpConfig: ["--strict-mcp-config", "use only the MCP servers of --mcp-config"],
  maxTurns: ["--max-turns <n>", "maximum number of turns"],
  maxBudgetUsd: ["--max-budget-usd <amount>", "maximum cost in US dollars"],
  maxTokens: ["--max-tokens <n>", "maximum total tokens of all agents, including cached tokens"],
  effort: ["--effort <level>", "how much the model thinks before it answers (default: medium)"],
  thinkingTokens: ["--thinking-tokens <n>", "maximum number of thinking tokens for each answer"],
  forks: ["--forks", "start agents without a type as forks of the conversation"],
  team: ["--team <name>", "lead this team (created if it does not exist)"],
  bus: ["--bus <url>", "bus for teams, instead of files: nats://host:4222,nats://host2:4222"],
  teamStore: ["--team-store <kind>", teamStoreHelp],
  coordinator: ["--coordinator", "plan and delegate to workers; kept when the session is resumed"],
  record: ["--record <file>", "record the run as a script for scripted/FILE"],
};

/** Adds the options of a run, in groups. */
export function addRunOptions(program: Program): Program {
  program
    .optionsGroup("Run:")
    .option("-p, --print", "run without a screen, print the result and exit")
    .option("-c, --continue", "continue the most recent session in this folder")
    .option("-r, --resume [session]", "resume a session by id or name; without one, choose from a list")
    .option("--prompt-file <file>", "file that contains the prompt")
    .option("--web [port]", "also serve the dashboard; prints its URL to stderr", portNumber);
  return addSessionOptions(program)
    .optionsGroup("Input and output:")
    .addOption(
      new Option("--output-format <format>", "format of the result")
        .choices(["text", "json", "stream-json"])
        .default("text"),
    )
    .addOption(
      new Option("--input-format <format>", "format of the prompts on stdin")
        .choices(["text", "stream-json"])
        .default("text"),
    )
    .addOption(optionOf("record"))
    .option("--verbose", "log progress to stderr")
    .optionsGroup("Options:")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "show this help");
}

/** The groups of the options of a session, in the order of the help. */
const groups: Readonly<Record<string, readonly OptionName[]>> = {
  "Model and limits:": ["model", "effort", "thinkingTokens", "maxTurns", "maxBudgetUsd", "maxTokens"],
  "Permissions:": ["permissionMode", "allowedTools", "disallowedTools", "addDir"],
  "Teams and agents:": ["team", "coordinator", "agents", "forks", "bus", "teamStore"],
  "Settings:": ["settings", "appendSystemPrompt", "mcpConfig", "strictMcpConfig"],
};

/** Adds the options of every session, for any frontend. */
export function addSessionOptions(program: Program): Program {
  for (const [group, names] of Object.entries(groups))
    for (const name of names) program.addOption(optionOf(name).helpGroup(group));
  return program
    .addOption(
      new Option("--no-coordinator", "resume a coordinator's session as an ordinary session").helpGroup(
        "Teams and agents:",
      ),
    )
    .addOption(
      new Option("--as <name>", "your name in a team that Claude Code leads (default: trouper)").helpGroup(
        "Teams and agents:",
      ),
    )
    .addOption(
      new Option("--trust", "trust this folder's own hooks, servers and settings for this run").helpGroup(
        "Permissions:",
      ),
    );
}

function optionOf(name: OptionName): Option {
  const option = new Option(...flags[name]);
  const value = SessionOptions.shape[name].unwrap();
  if (value instanceof z.ZodEnum) return option.choices(value.options.filter((mode) => mode !== "bubble"));
  if (value instanceof z.ZodNumber) return option.argParser(value.isInt ? positiveInteger : positiveNumber);
  return option;
}
