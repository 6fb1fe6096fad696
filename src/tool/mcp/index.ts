export { type Environment, expandVariables } from "./expand-variables.ts";
export { createMcpHub, type McpEntry, type McpHub, type McpStatus } from "./mcp-hub.ts";
export type { McpPrompt } from "./mcp-prompts.ts";
export { McpServerConfig } from "./server-config.ts";
export type { PinnedTool, ToolPins } from "./server-tools.ts";
export { serverNames } from "./tool-name.ts";
