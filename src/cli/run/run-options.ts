import { type Command as Program, Option } from "commander";
import { portNumber, positiveInteger, positiveNumber } from "../subcommand.ts";
import { setBusEnv } from "./bus-option.ts";
import { teamStoreOptionHelp, setTeamStoreEnv } from "./team-store-option.ts";

/** What is said of a run as a whole. */
export function addRunOptions(program: Program): Program {
  return addSessionOptions(program.option("-p, --print", "answer without a screen, print the result and leave"))
    .addOption(new Option("--output-format <format>").choices(["text", "json", "stream-json"]).default("text"))
    .addOption(new Option("--input-format <format>").choices(["text", "stream-json"]).default("text"))
    .option("-c, --continue", "go on with the newest session of this folder")
    .option("-r, --resume <id>", "go on with a session")
    .option("--prompt-file <file>", "read the prompt from a file")
    .option("--record <file>", "write the run as a script that scripted/FILE can play")
    .option(
      "--web [port]",
      "show this session in the browser as well; the address is said on standard error",
      portNumber,
    )
    .option("--verbose", "say on standard error what goes on");
}

/** What holds for every session, whoever drives it. */
export function addSessionOptions(program: Program): Program {
  return program
    .option("--model <model>", "anthropic/…, openai/…, local/…, scripted/FILE, or opus, sonnet, haiku")
    .addOption(
      new Option("--permission-mode <mode>", "how much may be done without asking").choices([
        "default",
        "acceptEdits",
        "plan",
        "dontAsk",
        "bypassPermissions",
      ]),
    )
    .option(
      "--allowedTools, --allowed-tools <tools...>",
      "tools, or rules such as 'Bash(npm test)', that need no asking",
    )
    .option("--disallowedTools, --disallowed-tools <tools...>", "tools or rules that are refused")
    .option("--add-dir <folders...>", "more folders to work in")
    .option("--append-system-prompt <text>", "words to add to the system prompt")
    .option("--settings <file-or-json>", "settings on top of the files'")
    .option("--agents <json-or-file>", "more types of agents: { name: { description, prompt, tools?, model?, … } }")
    .option("--mcp-config <files-or-json...>", "more MCP servers, in the form of .mcp.json")
    .option("--strict-mcp-config", "no MCP servers but those of --mcp-config")
    .option("--max-turns <n>", "stop after so many turns", positiveInteger)
    .option("--max-budget-usd <amount>", "stop when this much is spent", positiveNumber)
    .option(
      "--max-tokens <n>",
      "stop when all agents together have used so many, cached ones included",
      positiveInteger,
    )
    .option("--thinking-tokens <n>", "how much the model may think before it answers", positiveInteger)
    .option("--forks", "without a type, an agent that is started is a fork that knows the whole conversation")
    .option("--team <name>", "lead this team; it is made if it is not there")
    .option("--bus <url>", "teams are there and not in files: nats://host:4222; several with commas", setBusEnv)
    .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv)
    .option("--as <name>", "your name in a team that Claude Code leads; by default trouper")
    .option("--coordinator", "plan and hand out to workers instead of doing the work; a resumed session goes on so")
    .option("--no-coordinator", "go on with a coordinator's session as an ordinary one")
    .option("--trust", "let this folder's own hooks, servers and settings act, in this run");
}
