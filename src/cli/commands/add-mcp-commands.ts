import { type Command as Program, Option } from "commander";
import type { McpFlags } from "./mcp.ts";
import type { McpServeFlags } from "./mcp-serve.ts";
import { subcommand } from "../subcommand.ts";
import { busOptionHelp, setBusEnv } from "../run/bus-option.ts";
import { teamStoreOptionHelp, setTeamStoreEnv } from "../run/team-store-option.ts";

/** `troupe mcp`: servers of tools that sessions use, and the one that a team is. */
export function addMcpCommands(mcp: Program, exit: (code: number) => void): void {
  const scope = () =>
    new Option(
      "--scope <scope>",
      "local: this folder and you; project: .mcp.json, for everybody; user: all folders",
    ).choices(["local", "project", "user"]);
  const collect = (text: string, before: string[] = []) => [...before, text];
  const json = (command: Program) =>
    command.option("--json", "as JSON lines").option("--trust", "believe this folder's own servers for once");
  json(subcommand(mcp, "list", "the servers of this folder, started or not")).action(async (flags: McpFlags) => {
    exit(await (await import("./mcp.ts")).listMcp(flags));
  });
  json(subcommand(mcp, "get", "one server, and where it comes from"))
    .argument("<name>")
    .action(async (name: string, flags: McpFlags) => {
      exit(await (await import("./mcp.ts")).getMcp(name, flags));
    });
  subcommand(mcp, "add", "add a server: troupe mcp add files -- npx -y @modelcontextprotocol/server-filesystem .")
    .argument("<name>")
    .argument("<command-or-url...>", "a program and its arguments, after --; a URL; or the server as JSON")
    .addOption(scope())
    .addOption(new Option("--transport <how>").choices(["stdio", "http", "sse"]))
    .option("-e, --env <name=value>", "a variable for the program; may be given again", collect)
    .option("-H, --header <name:value>", "a header for the URL; may be given again", collect)
    .action(async (name: string, words: string[], flags: McpFlags) => {
      exit(await (await import("./mcp.ts")).addMcp(name, words, flags));
    });
  subcommand(mcp, "remove", "take a server out of the file it is in")
    .argument("<name>")
    .addOption(scope())
    .action(async (name: string, flags: McpFlags) => {
      exit(await (await import("./mcp.ts")).removeMcp(name, flags));
    });
  subcommand(mcp, "serve", "a team's mail, tasks and roster as an MCP server, for agents of other programs")
    .requiredOption("--team <name>", "the team to be in")
    .option("--as <name>", "be this member at once; without it the client registers")
    .option("--http [port]", "over HTTP on this machine instead of standard input and output; /mcp/NAME is a member")
    .option("--token-file <file>", "take the token for --http from this file instead of making one")
    .addOption(new Option("--voice", "speak for a member whom Troupe runs: no inbox, no presence").hideHelp())
    .option("--bus <url>", busOptionHelp, setBusEnv)
    .option("--team-store <kind>", teamStoreOptionHelp, setTeamStoreEnv)
    .option("--run-checks", "run the checks of tasks that members say are done")
    .action(async (flags: McpServeFlags) => {
      exit(await (await import("./mcp-serve.ts")).runMcpServe(flags));
    });
  json(subcommand(mcp, "test", "start servers, say what they offer and how long it took, and end them"))
    .argument("[name]", "by default all of them")
    .action(async (name: string | undefined, flags: McpFlags) => {
      exit(await (await import("./mcp.ts")).testMcp(name, flags));
    });
}
