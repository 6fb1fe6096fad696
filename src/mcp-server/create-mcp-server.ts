import { Server } from "@modelcontextprotocol/server";
import { version } from "../platform/index.ts";
import { type CallId, type ContentPart, TroupeError } from "../protocol/index.ts";
import { executeTool, parseModelInput, type Tool, type ToolContext, toolSpecs } from "../tool/index.ts";
import { instructions } from "./server-instructions.ts";
import type { MemberConnection } from "./member-connection.ts";

/**
 * Creates a server for one connection or request. The member connection lives longer. `name` is the member, if known.
 */
export function createMcpServer(connection: MemberConnection, tools: readonly Tool[], name?: string): Server {
  const server = new Server(
    { name: "troupe", title: "Troupe team", version },
    { instructions: instructions(connection.team.name, name), capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", async () => ({ tools: listed(tools) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool) return call(tool, params.arguments ?? {}, { connection, ...mcpReq });
    return failed(
      `There is no tool ${JSON.stringify(params.name)}. Tools: ${tools.map(({ name }) => name).join(", ")}.`,
    );
  });
  return server;
}

const listed = (tools: readonly Tool[]) =>
  toolSpecs(tools).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    annotations: {
      title: name,
      readOnlyHint: tools.find((tool) => tool.name === name)?.access === "read",
      destructiveHint: false,
      openWorldHint: false,
    },
  }));

interface Request {
  readonly connection: MemberConnection;
  readonly id: string | number;
  readonly signal: AbortSignal;
}

async function call(tool: Tool, input: unknown, { connection, id, signal }: Request) {
  const parsed = parseModelInput(tool, input);
  if (!parsed.ok) return failed(parsed.message);
  try {
    const member = tool.name === "Register" ? undefined : connection.member();
    await member?.working();
    // Team tools use no other part of the context.
    const context = { agent: { id: member?.id }, callId: `${id}` as CallId, signal } as unknown as ToolContext;
    const { outcome, content } = await executeTool(tool, parsed.value, context);
    return { content: content.map(asText), isError: outcome !== "ok" };
  } catch (error) {
    if (TroupeError.is(error)) return failed(error.message);
    throw error;
  }
}

const failed = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true });

const asText = (part: ContentPart) => ({
  type: "text" as const,
  text: part.type === "text" ? part.text : `[${part.type}]`,
});
