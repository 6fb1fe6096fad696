import { createHash } from "node:crypto";
import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import type { McpServerConfig } from "./server-config.ts";

/**
 * Identifies what a user approves with a tool: the program or address, the names of its variables and headers, and the
 * tool's whole definition. Values of variables and headers are excluded: a new token does not make a new tool.
 */
export function toolDigest(config: McpServerConfig, tool: ServerTool): string {
  const reached =
    config.type === "stdio"
      ? { command: config.command, args: config.args, env: Object.keys(config.env).toSorted() }
      : { url: config.url, headers: Object.keys(config.headers).toSorted() };
  const { name, title, description, inputSchema, annotations } = tool;
  return createHash("sha256")
    .update(stable({ reached, name, title, description, inputSchema, annotations }))
    .digest("hex");
}

/** Independent of the order of keys. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
