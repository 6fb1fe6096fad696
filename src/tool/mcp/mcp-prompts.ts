import type { GetPromptResult, Prompt } from "@modelcontextprotocol/client";
import type { ContentPart } from "../../protocol/index.ts";
import type { ToolContext } from "../define-tool.ts";
import { bounded } from "./mcp-tool.ts";
import type { McpServer } from "./mcp-server.ts";
import { toolContent } from "./tool-content.ts";
import { toolNames } from "./tool-name.ts";

/** A prompt that a server offers. Users call it as `/mcp__server__prompt`. */
export interface McpPrompt {
  /** Without the slash. */
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** Returns the prompt for the agent. Rejects with the reason when the server cannot provide it. */
  get(
    values: Readonly<Record<string, string>>,
    context: Pick<ToolContext, "signal" | "outputFile">,
  ): Promise<readonly ContentPart[]>;
}

export function promptsOf(server: McpServer, safeName: string): readonly McpPrompt[] {
  const { prompts } = server.offer;
  const names = toolNames(
    safeName,
    prompts.map(({ name }) => name),
  );
  return prompts.map((prompt) => promptOf(server, prompt, names.get(prompt.name) ?? prompt.name));
}

function promptOf(server: McpServer, prompt: Prompt, name: string): McpPrompt {
  return {
    name,
    server: server.name,
    description: bounded(prompt.description ?? prompt.title ?? "", 500),
    arguments: (prompt.arguments ?? []).map((argument) => ({
      name: argument.name,
      description: bounded(argument.description ?? "", 300),
      required: argument.required === true,
    })),
    async get(values, context) {
      const result = await server.ask({
        signal: context.signal,
        run: (client, { signal, timeout }) =>
          client.getPrompt({ name: prompt.name, arguments: { ...values } }, { signal, timeout }),
      });
      return partsOf(result, context);
    },
  };
}

/** A server may write both sides of a conversation; the role is kept as text. */
async function partsOf(
  { messages }: GetPromptResult,
  context: Pick<ToolContext, "outputFile">,
): Promise<ContentPart[]> {
  const alone = messages.every(({ role }) => role === "user");
  const { content } = await toolContent({ content: messages.map((message) => message.content) }, context);
  return content.map((part, index) =>
    alone || part.type !== "text" ? part : { ...part, text: `${messages[index]?.role ?? "user"}: ${part.text}` },
  );
}
