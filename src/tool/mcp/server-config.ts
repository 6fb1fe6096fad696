import * as z from "zod";

const text = z.string().min(1);
const seconds = z.number().int().min(100).max(86_400_000);

const shared = {
  /** True: the server is not used. */
  disabled: z.boolean().optional(),
  /** The session does not start without it. */
  required: z.boolean().optional(),
  /** Time limit of one call. */
  timeoutMs: seconds.optional(),
};

const StdioServer = z.object({
  type: z.literal("stdio").default("stdio"),
  command: text,
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: text.optional(),
  ...shared,
});

const remote = { url: text, headers: z.record(z.string(), z.string()).default({}), ...shared };

const HttpServer = z.object({ type: z.enum(["http", "streamable-http"]).transform(() => "http" as const), ...remote });
const SseServer = z.object({ type: z.literal("sse"), ...remote });

/**
 * How to reach an MCP server, as written in `.mcp.json` and the settings. Unknown keys belong to other programs and are
 * ignored. Without `type`, a `command` means a program and a `url` means HTTP.
 */
export const McpServerConfig = z.preprocess(
  withType,
  z.discriminatedUnion("type", [StdioServer, HttpServer, SseServer]),
);
export type McpServerConfig = z.infer<typeof McpServerConfig>;
export type StdioConfig = z.infer<typeof StdioServer>;
export type RemoteConfig = Exclude<McpServerConfig, { type: "stdio" }>;

function withType(value: unknown): unknown {
  if (typeof value !== "object" || value === null || "type" in value) return value;
  return { ...value, type: "url" in value && !("command" in value) ? "http" : "stdio" };
}
