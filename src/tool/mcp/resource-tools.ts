import * as z from "zod";
import { messageOf } from "../../protocol/index.ts";
import { defineTool, failedResult, textResult, type Tool } from "../define-tool.ts";
import { bounded } from "./mcp-tool.ts";
import type { McpServer } from "./mcp-server.ts";
import { resourceContent } from "./tool-content.ts";

const listLimit = 200;

const ListInput = z.strictObject({
  server: z.string().optional().describe("Only the resources of this server."),
});
const ReadInput = z.strictObject({
  server: z.string().describe("The server that has the resource."),
  uri: z.string().min(1).describe("The resource's URI, as ListMcpResources gives it."),
});

/** The two tools with which a model reads the resources of servers. Empty if no server offers any. */
export function resourceTools(servers: () => readonly McpServer[]): readonly Tool[] {
  const offering = () => servers().filter(({ offer }) => offer.hasResources);
  if (offering().length === 0) return [];

  const find = (name: string) => offering().find((server) => server.name === name);
  const unknown = (name: string) =>
    failedResult(
      `No server ${JSON.stringify(name)} offers resources. Servers that do: ${offering()
        .map((server) => server.name)
        .join(", ")}.`,
    );

  const list = defineTool({
    name: "ListMcpResources",
    description: "Lists the resources (files, records, pages) of MCP servers, each with its URI.",
    input: ListInput,
    access: "read",
    subject: () => ({ kind: "own" }),
    title: ({ server }) => `List the resources of ${server ?? "all servers"}`,
    async execute({ server }, context) {
      const asked = server === undefined ? offering() : [find(server)].filter((found) => found !== undefined);
      if (server !== undefined && asked.length === 0) return unknown(server);
      const parts = await Promise.all(asked.map((one) => listOf(one, context.signal)));
      return textResult(parts.join("\n\n"));
    },
  });

  const read = defineTool({
    name: "ReadMcpResource",
    description: "Reads one resource of an MCP server by its URI.",
    input: ReadInput,
    access: "read",
    subject: ({ server }) => ({ kind: "mcp", server, tool: "resources", changed: false }),
    title: ({ server, uri }) => `Read ${uri} of ${server}`.slice(0, 300),
    async execute({ server, uri }, context) {
      const found = find(server);
      if (!found) return unknown(server);
      try {
        const result = await found.ask({
          signal: context.signal,
          run: (client, { signal, timeout }) => client.readResource({ uri }, { signal, timeout, cacheMode: "bypass" }),
        });
        return { outcome: "ok", content: await resourceContent(result, context) };
      } catch (error) {
        if (context.signal.aborted) throw error;
        return failedResult(`cannot read ${uri}: ${messageOf(error)}`);
      }
    },
  });
  return [list, read];
}

async function listOf(server: McpServer, signal: AbortSignal): Promise<string> {
  try {
    const [{ resources }, { resourceTemplates }] = await server.ask({
      signal,
      run: (client, options) =>
        Promise.all([
          client.listResources(undefined, { ...options, cacheMode: "refresh" }),
          client.listResourceTemplates(undefined, { ...options, cacheMode: "refresh" }).catch(() => noTemplates),
        ]),
    });
    const lines = [
      ...resources.map((resource) => line(resource.uri, resource)),
      ...resourceTemplates.map((template) => line(`${template.uriTemplate} (a pattern)`, template)),
    ];
    const more = lines.length > listLimit ? [`… and ${lines.length - listLimit} more`] : [];
    return [`${server.name}:`, ...lines.slice(0, listLimit), ...more].join("\n");
  } catch (error) {
    if (signal.aborted) throw error;
    return `${server.name}: cannot list its resources: ${messageOf(error)}`;
  }
}

/** Servers need not support templates. */
const noTemplates = { resourceTemplates: [] };

const line = (where: string, { name, description }: { name: string; description?: string | undefined }) =>
  `- ${bounded(where, 500)}  ${bounded(name, 100)}${description ? `: ${bounded(description, 200)}` : ""}`;
