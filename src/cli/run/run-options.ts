import { type Command as Program, Option } from "commander";
import { portNumber, positiveInteger, positiveNumber } from "../subcommand.ts";
import { setBusEnv } from "./bus-option.ts";
import { teamStoreOptionHelp, setTeamStoreEnv } from "./team-store-option.ts";

/** Adds the options of a run. */
export function addRunOptions(program: Program): Program {
  return addSessionOptions(program.option("-p, --print", "run without a screen, print the result and exit"))
    .addOption(new Option("--output-format <format>").choices(["text", "json", "stream-json"]).default("text"))
    .addOption(new Option("--input-format <format>").choices(["text", "stream-json"]).default("text"))
    .option("-c, --continue", "continue the most recent session in this folder")
    .option("-r, --resume <id>", "resume the session with this id")
    .option("--prompt-file <file>", "file that contains the prompt")
    .option("--record <file>", "record the run as a script for scripted/FILE")
    .option("--web [port]", "also serve the dashboard; prints its URL to stderr", portNumber)
    .option("--verbose", "log progress to stderr");
}

/** Adds the options of every session, for any frontend. */
export function addSessionOptions(program: Program): Program {
  return program
    .option("--model <model>", "anthropic/…, openai/…, local/…, scripted/FILE, or opus, sonnet, haiku")
    .addOption(
      new Option("--permission-mode <mode>", "permission mode: what agents may do without asking").choices([
        "default",
        "acceptEdits",
        "plan",
        "dontAsk",
        "bypassPermissions",
      ]),
    )
    .option(
      "--allowedTools, --allowed-tools <tools...>",
      "tools or rules such as 'Bash(npm test)' that are always allowed",
    )
    .option("--disallowedTools, --disallowed-tools <tools...>", "tools or rules that are always denied")
    .option("--add-dir <folders...>", "additional folders to work in")
    .option("--append-system-prompt <text>", "text to append to the system prompt")
    .option("--settings <file-or-json>", "settings that override the settings files")
    .option("--agents <json-or-file>", "additional agent types: { name: { description, prompt, … } }")
    .option("--mcp-config <files-or-json...>", "additional MCP servers, in the form of .mcp.json")
    .option("--strict-mcp-config", "use only the MCP servers of --mcp-config")
    .option("--max-turns <n>", "maximum number of turns", positiveInteger)
    .option("--max-budget-usd <amount>", "maximum cost in US dollars", positiveNumber)
    .option("--max-tokens <n>", "maximum total tokens of all agents, including cached tokens", positiveInteger)
    .option("--thinking-tokens <n>", "maximum number of thinking tokens for each answer", positiveInteger)
    .option("--forks", "start agents without a type as forks of the conversation")
    .option("--team <name>", "lead this team (created if it does not exist)")
    .option("--bus <url>", "bus for teams, instead of files: nats://host:4222,nats://host2:4222", setBusEnv)
    .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv)
    .option("--as <name>", "your name in a team that Claude Code leads (default: trouper)")
    .option("--coordinator", "plan and delegate to workers; kept when the session is resumed")
    .option("--no-coordinator", "resume a coordinator's session as an ordinary session")
    .option("--trust", "trust this folder's own hooks, servers and settings for this run");
}
