import { resolve } from "node:path";
import { nestedInstructions } from "../../agent/index.ts";
import type { AgentId } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { AgentInstructions } from "./instruction-files.ts";

/** When an agent first touches a file in a folder, adds the instructions of that folder to the result. */
export function withNestedInstructions(
  tools: readonly Tool[],
  instructionsOf: (agent: AgentId) => Pick<AgentInstructions, "enter">,
): Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, context) {
      const result = await tool.execute(input, context);
      const subject = tool.subject(input);
      if (subject.kind !== "path" || result.outcome !== "ok") return result;
      const path = resolve(context.cwd, subject.path);
      const { files } = instructionsOf(context.agent.id).enter(path, context.roots[0] ?? context.cwd);
      if (files.length === 0) return result;
      const text = nestedInstructions(files, { changed: subject.change ? path : undefined });
      return { ...result, content: [...result.content, { type: "text", text }] };
    },
  }));
}
