import type { Tool } from "./define-tool.ts";

/** The tools of one agent, with texts that name no tool that the agent lacks. */
export function adaptTools(tools: readonly Tool[]): readonly Tool[] {
  const names = new Set(tools.map(({ name }) => name));
  return tools.map((tool) => (tool.wordsFor ? { ...tool, ...tool.wordsFor(names) } : tool));
}
