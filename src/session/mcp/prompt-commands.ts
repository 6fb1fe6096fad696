import { systemClock, withTimeLimit } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import type { McpPrompt } from "../../tool/mcp/index.ts";
import type { SlashCommand } from "../slash-commands/slash-commands.ts";

/**
 * Turns the prompts of MCP servers into commands: `/mcp__server__prompt one "two words"`, with the arguments in the
 * server's order.
 */
export function mcpCommands(
  prompts: readonly McpPrompt[],
  outputFile: (name: string) => Promise<string> | undefined,
): readonly SlashCommand[] {
  return prompts.map((prompt) => ({
    name: prompt.name,
    description: prompt.description || `prompt of the MCP server ${prompt.server}`,
    argumentHint: prompt.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" "),
    source: `the MCP server ${prompt.server}`,
    owner: "user",
    allowedTools: [],
    async load(args) {
      const values = valuesOf(prompt, args);
      const missing = prompt.arguments.filter(({ name, required }) => required && !(name in values));
      if (missing.length > 0) return { problem: `missing arguments: ${missing.map(({ name }) => name).join(", ")}` };
      try {
        const save = async (name: string) => (await outputFile(name)) ?? name;
        const parts = await withTimeLimit(systemClock, timeoutMs, (signal) =>
          prompt.get(values, { signal, outputFile: save }),
        );
        return { parts };
      } catch (error) {
        return { problem: messageOf(error) };
      }
    },
  }));
}

const timeoutMs = 60_000;

/** The last argument gets all remaining words. */
function valuesOf(prompt: McpPrompt, args: string): Record<string, string> {
  const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
  const names = prompt.arguments.map(({ name }) => name);
  const last = names.length - 1;
  return Object.fromEntries(
    names
      .slice(0, words.length)
      .map((name, index) => [name, index === last ? words.slice(index).join(" ") : (words[index] ?? "")]),
  );
}
