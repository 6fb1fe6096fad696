import { type ConfigInput, loadConfig } from "../config/load-config.ts";
import type { McpEdit, McpListing, McpReport, McpScope } from "./server-report.ts";

/** Every server that this folder's sessions would see, and those that they do not see and why. Starts none of them. */
export async function listMcpServers(input: ConfigInput): Promise<readonly McpListing[]> {
  const { listServers: mcpListings } = await import("./server-report.ts");
  return mcpListings(await loadConfig(input), input.env);
}

/** Starts servers as a session would, all of them or the one, asks what they offer, and ends them. */
export async function testMcpServers(input: ConfigInput, name?: string): Promise<readonly McpReport[]> {
  const { testServers: mcpReports } = await import("./server-report.ts");
  return mcpReports(await loadConfig(input), { env: input.env, name });
}

/** Writes a server to the file of its scope and says which; what else is there stays as it is. */
export async function addMcpServer(input: ConfigInput, edit: McpEdit): Promise<string> {
  const { addServer } = await import("./edit-servers.ts");
  return addServer(await loadConfig(input), edit);
}

/** Takes a server out of the file of its scope, or of the only one that has it, and says which. */
export async function removeMcpServer(
  input: ConfigInput,
  which: { readonly name: string; readonly scope?: McpScope | undefined },
): Promise<string> {
  const { removeServer } = await import("./edit-servers.ts");
  return removeServer(await loadConfig(input), which);
}
