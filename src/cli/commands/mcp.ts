import { TroupeError } from "../../protocol/index.ts";
import {
  addMcpServer,
  listMcpServers,
  type McpListing,
  type McpScope,
  removeMcpServer,
  testMcpServers,
} from "../../session/index.ts";
import { visibleLine } from "../../view/index.ts";
import { exitCodes } from "../exit-codes.ts";

export interface McpFlags {
  readonly json?: boolean;
  readonly scope?: McpScope;
  readonly transport?: "stdio" | "http" | "sse";
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly trust?: boolean;
}

/** Reads the same configuration as a session in this folder. */
const here = (flags: McpFlags) => ({
  cwd: process.cwd(),
  env: process.env,
  trust: flags.trust ? ("all" as const) : undefined,
});

const printLine = (text: string) => process.stdout.write(`${visibleLine(text)}\n`);
const printJson = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

export async function listMcp(flags: McpFlags): Promise<number> {
  const servers = await listMcpServers(here(flags));
  if (flags.json) for (const server of servers) printJson(server);
  else if (servers.length === 0) printLine("no MCP servers. Add one with 'troupe mcp add'.");
  else for (const server of servers) printLine(lineOf(server));
  return exitCodes.done;
}

export async function getMcp(name: string, flags: McpFlags): Promise<number> {
  const servers = await listMcpServers(here(flags));
  const found = servers.find((server) => server.name === name);
  if (!found) {
    const names = servers.map((server) => server.name).join(", ") || "none";
    throw new TroupeError("usage", `there is no MCP server ${name}. Servers: ${names}.`);
  }
  if (flags.json) printJson(found);
  else {
    printLine(lineOf(found));
    printLine(`  from    ${found.source}`);
    for (const line of JSON.stringify(found.server, null, 2).split("\n")) printLine(`  ${line}`);
  }
  return exitCodes.done;
}

export async function addMcp(name: string, words: readonly string[], flags: McpFlags): Promise<number> {
  const { scope = "local" } = flags;
  const file = await addMcpServer(here(flags), { name, scope, server: serverOf(words, flags) });
  printLine(`${name} is added to ${file}`);
  if (scope === "project") printLine("sessions use it after you trust the folder: run 'troupe trust'");
  return exitCodes.done;
}

export async function removeMcp(name: string, flags: McpFlags): Promise<number> {
  printLine(`${name} is removed from ${await removeMcpServer(here(flags), { name, scope: flags.scope })}`);
  return exitCodes.done;
}

export async function testMcp(name: string | undefined, flags: McpFlags): Promise<number> {
  const reports = await testMcpServers(here(flags), name);
  if (reports.length === 0 && !flags.json) printLine("no MCP servers to test");
  for (const report of reports) {
    if (flags.json) {
      printJson(report);
      continue;
    }
    const what = report.ok ? `${report.tools.length} tools` : `failed: ${report.error ?? "unknown"}`;
    printLine(`${report.ok ? "ok  " : "FAIL"} ${report.name}  ${report.milliseconds} ms  ${what}`);
    for (const tool of report.tools)
      printLine(`       ${tool.name}  ${tool.description.split("\n", 1)[0]?.slice(0, 100)}`);
    for (const prompt of report.prompts) printLine(`       ${prompt}`);
  }
  return reports.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}

function lineOf({ name, scope, state, problem, server }: McpListing): string {
  const { command, args, url } = (server ?? {}) as { command?: unknown; args?: unknown; url?: unknown };
  const words = Array.isArray(args) ? (args as unknown[]) : [];
  const how = typeof url === "string" ? url : [command, ...words].map((word) => String(word)).join(" ");
  const reason = state === "untrusted" ? "the folder is not trusted: run 'troupe trust'" : (problem ?? "");
  return `${name}  ${scope}  ${state}  ${how}${reason && `  (${reason})`}`;
}

function serverOf(words: readonly string[], flags: McpFlags): Record<string, unknown> {
  const [first, ...rest] = words;
  const json = first?.trimStart().startsWith("{") ? parsed(first) : undefined;
  if (json) return json;
  if (first === undefined)
    throw new TroupeError("usage", "no program or URL given. Write the program after --, or a URL.");
  const transport = flags.transport ?? (/^https?:\/\//.test(first) ? "http" : "stdio");
  if (transport === "stdio") {
    const env = pairs(flags.env, "=", "-e NAME=value");
    return { type: "stdio", command: first, args: rest, ...(flags.env && { env }) };
  }
  const headers = pairs(flags.header, ":", "-H 'Name: value'");
  return { type: transport, url: first, ...(flags.header && { headers }) };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new TroupeError("usage", `the server description is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function pairs(texts: readonly string[] | undefined, between: string, form: string): Record<string, string> {
  return Object.fromEntries(
    (texts ?? []).map((text) => {
      const at = text.indexOf(between);
      if (at <= 0) throw new TroupeError("usage", `${JSON.stringify(text)} must have the form ${form}`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
