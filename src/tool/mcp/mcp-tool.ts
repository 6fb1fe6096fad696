import type { Progress, Tool as ServerTool } from "@modelcontextprotocol/client";
import * as z from "zod";
import { messageOf } from "../../protocol/index.ts";
import { cleanText, wholeCharacters } from "../output/clean-text.ts";
import { defineTool, failedResult, type Tool } from "../define-tool.ts";
import type { McpServer } from "./mcp-server.ts";
import { toolContent } from "./tool-content.ts";

export interface McpToolOptions {
  readonly server: McpServer;
  /** `mcp__server__tool`. */
  readonly name: string;
  readonly definition: ServerTool;
  /** True if it differs from the tool that was allowed before. */
  readonly changed: () => boolean;
  /** Called before it runs: the tool is now allowed in this version. */
  readonly allowed: () => Promise<void>;
}

const descriptionLimit = 2_000;
const progressEveryMs = 200;

/** A tool of a server. The model sees the server's description, cut and cleaned. The server validates the input. */
export function mcpTool({ server, name, definition, changed, allowed }: McpToolOptions): Tool {
  const label = `${server.name}: ${definition.title ?? definition.annotations?.title ?? definition.name}`;
  return defineTool<unknown>({
    name,
    description: bounded(definition.description ?? "", descriptionLimit) || `The tool ${definition.name}.`,
    input: z.record(z.string(), z.unknown()),
    inputSchema: definition.inputSchema,
    access: definition.annotations?.readOnlyHint === true ? "read" : "run",
    subject: () => ({ kind: "mcp", server: server.name, tool: definition.name, changed: changed() }),
    title: (input) => `${label} ${JSON.stringify(input) ?? ""}`.slice(0, 300),
    async execute(input, context) {
      await allowed();
      try {
        const result = await server.ask({
          signal: context.signal,
          run: (client, { signal, timeout, life }) =>
            client.callTool(
              { name: definition.name, arguments: input as Record<string, unknown> },
              {
                signal,
                timeout,
                onprogress: throttled(context.progress, life),
                // `outputSchema` is omitted: an answer that does not match it is still an answer.
                toolDefinition: { name: definition.name, inputSchema: definition.inputSchema },
              },
            ),
        });
        return await toolContent(result, context);
      } catch (error) {
        if (context.signal.aborted) throw error;
        return failedResult(`${name} failed: ${messageOf(error)}`);
      }
    },
  });
}

/** Every progress report extends the deadline, but only some are shown. */
function throttled(show: (text: string) => void, life: () => void): (progress: Progress) => void {
  let last = -Infinity;
  return ({ progress, total, message }) => {
    life();
    if (performance.now() - last < progressEveryMs && progress !== total) return;
    last = performance.now();
    const share = total === undefined ? String(progress) : `${progress}/${total}`;
    show(`${cleanText(message === undefined ? share : `${share} ${message}`).slice(0, 500)}\n`);
  };
}

/** Cleans and cuts a text of the server for the model. */
export function bounded(text: string, limit: number): string {
  const clean = cleanText(text.slice(0, limit * 2)).trim();
  return clean.length <= limit ? clean : `${wholeCharacters(clean.slice(0, limit))} […]`;
}
