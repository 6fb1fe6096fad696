import { resolve } from "node:path";
import { nestedInstructions } from "../../agent/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { InstructionFiles } from "./instruction-files.ts";

/** When a tool first touches a file in a folder, adds the instructions of that folder to the result. */
export function withNestedInstructions(tools: readonly Tool[], files: InstructionFiles): Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, context) {
      const result = await tool.execute(input, context);
      const subject = tool.subject(input);
      if (subject.kind !== "path" || result.outcome !== "ok") return result;
      const nested = files.nested([resolve(context.cwd, subject.path)]);
      if (nested.files.length === 0) return result;
      const text = nestedInstructions(nested.files);
      return { ...result, content: [...result.content, { type: "text", text }] };
    },
  }));
}
