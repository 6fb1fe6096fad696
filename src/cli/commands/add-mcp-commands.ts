import { type Command as Program, Option } from "commander";
import { collect, type RunCommand, subcommand } from "../subcommand.ts";
import { addStoreOptions } from "../run/store-options.ts";

/** `troupe mcp`: manages the MCP servers that sessions use, and serves a team as an MCP server. */
export function addMcpCommands(mcp: Program, run: RunCommand): void {
  const scope = () =>
    new Option("--scope <scope>", "local: you, this folder; project: .mcp.json; user: all folders").choices([
      "local",
      "project",
      "user",
    ]);
  const json = (command: Program) =>
    command.option("--json", "print JSON lines").option("--trust", "trust this folder's own servers for this command");
  json(subcommand(mcp, "list", "list the MCP servers of this folder")).action(
    run(async () => (await import("./mcp.ts")).listMcp),
  );
  json(subcommand(mcp, "get", "show one server and the file that configures it"))
    .argument("<name>")
    .action(run(async () => (await import("./mcp.ts")).getMcp));
  subcommand(mcp, "add", "add a server: troupe mcp add NAME -- npx -y PACKAGE ARGUMENTS")
    .argument("<name>")
    .argument("<command-or-url...>", "a program and its arguments after --, a URL, or the server as JSON")
    .addOption(scope())
    .addOption(new Option("--transport <how>").choices(["stdio", "http", "sse"]))
    .option("-e, --env <name=value>", "environment variable for the program; repeatable", collect)
    .option("-H, --header <name:value>", "HTTP header for the URL; repeatable", collect)
    .action(run(async () => (await import("./mcp.ts")).addMcp));
  subcommand(mcp, "remove", "remove a server from its configuration file")
    .argument("<name>")
    .addOption(scope())
    .action(run(async () => (await import("./mcp.ts")).removeMcp));
  const serve = subcommand(mcp, "serve", "serve a team's mail, tasks and roster to external programs over MCP")
    .requiredOption("--team <name>", "team to join")
    .option("--as <name>", "act as this member from the start (default: the client registers)")
    .option("--http [port]", "serve HTTP on this machine instead of stdio; /mcp/NAME is a member")
    .option("--token-file <file>", "file that holds the token for --http (default: a new token)")
    .addOption(new Option("--voice", "act for a member that Troupe runs: no inbox, no presence").hideHelp());
  addStoreOptions(serve)
    .option("--run-checks", "run the checks of tasks that members complete")
    .action(run(async () => (await import("./mcp-serve.ts")).runMcpServe));
  json(subcommand(mcp, "test", "start servers and print their tools and start time"))
    .argument("[name]", "servers to test (default: all)")
    .action(run(async () => (await import("./mcp.ts")).testMcp));
}
