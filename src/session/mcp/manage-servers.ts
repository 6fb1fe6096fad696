import { type ConfigInput, loadConfig } from "../config/load-config.ts";
import type { McpEdit, McpListing, McpReport, McpScope } from "./server-report.ts";

/** Lists all servers of this folder, including those that sessions ignore, with the reason. Starts none of them. */
export async function listMcpServers(input: ConfigInput): Promise<readonly McpListing[]> {
  const { listServers: mcpListings } = await import("./server-report.ts");
  return mcpListings(await loadConfig(input), input.env);
}

/** Starts all servers, or the named one, as a session would. Lists what they offer and stops them. */
export async function testMcpServers(input: ConfigInput, name?: string): Promise<readonly McpReport[]> {
  const { testServers: mcpReports } = await import("./server-report.ts");
  return mcpReports(await loadConfig(input), { env: input.env, name });
}

/** Adds a server to the file of its scope and returns the file. Other entries stay unchanged. */
export async function addMcpServer(input: ConfigInput, edit: McpEdit): Promise<string> {
  const { addServer } = await import("./edit-servers.ts");
  return addServer(await loadConfig(input), edit);
}

/** Removes a server from the file of its scope, or from the only file that has it. Returns the file. */
export async function removeMcpServer(
  input: ConfigInput,
  which: { readonly name: string; readonly scope?: McpScope | undefined },
): Promise<string> {
  const { removeServer } = await import("./edit-servers.ts");
  return removeServer(await loadConfig(input), which);
}
