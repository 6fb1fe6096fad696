import { type Command as Program, Option } from "commander";
import * as z from "zod";
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
  thinkingTokens: ["--thinking-tokens <n>", "maximum number of thinking tokens for each answer"],
  forks: ["--forks", "start agents without a type as forks of the conversation"],
  team: ["--team <name>", "lead this team (created if it does not exist)"],
  bus: ["--bus <url>", "bus for teams, instead of files: nats://host:4222,nats://host2:4222"],
  teamStore: ["--team-store <kind>", teamStoreHelp],
  coordinator: ["--coordinator", "plan and delegate to workers; kept when the session is resumed"],
  record: ["--record <file>", "record the run as a script for scripted/FILE"],
};

/** Adds the options of a run. */
export function addRunOptions(program: Program): Program {
  return addSessionOptions(program.option("-p, --print", "run without a screen, print the result and exit"))
    .addOption(new Option("--output-format <format>").choices(["text", "json", "stream-json"]).default("text"))
    .addOption(new Option("--input-format <format>").choices(["text", "stream-json"]).default("text"))
    .option("-c, --continue", "continue the most recent session in this folder")
    .option("-r, --resume [session]", "resume a session by id or name; without one, choose from a list")
    .option("--prompt-file <file>", "file that contains the prompt")
    .addOption(optionOf("record"))
    .option("--web [port]", "also serve the dashboard; prints its URL to stderr", portNumber)
    .option("--verbose", "log progress to stderr");
}

/** Adds the options of every session, for any frontend. */
export function addSessionOptions(program: Program): Program {
  const { record: _, coordinator: __, ...first } = flags;
  for (const name of Object.keys(first) as OptionName[]) program.addOption(optionOf(name));
  return program
    .option("--as <name>", "your name in a team that Claude Code leads (default: trouper)")
    .addOption(optionOf("coordinator"))
    .option("--no-coordinator", "resume a coordinator's session as an ordinary session")
    .option("--trust", "trust this folder's own hooks, servers and settings for this run");
}

function optionOf(name: OptionName): Option {
  const option = new Option(...flags[name]);
  const value = SessionOptions.shape[name].unwrap();
  if (value instanceof z.ZodEnum) return option.choices(value.options.filter((mode) => mode !== "bubble"));
  if (value instanceof z.ZodNumber) return option.argParser(value.isInt ? positiveInteger : positiveNumber);
  return option;
}
