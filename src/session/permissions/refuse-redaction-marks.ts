import { resolve } from "node:path";
import { redactionMarksIn } from "../../platform/index.ts";
import { failedResult, type Tool, type ToolContext } from "../../tool/index.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

const sizeLimit = 5_000_000;

/**
 * A model sees marks where secrets are. Written back, a mark would take the secret's place in the file, so tools that change
 * files refuse it, unless the file itself has that very mark in it.
 */
export function withRedactionMarkCheck(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    if (tool.access !== "write") return tool;
    return {
      ...tool,
      async execute(input, context) {
        const [mark] = findUnknownMarks(tool, input, context);
        if (mark === undefined) return tool.execute(input, context);
        return failedResult(
          `Not written: ${mark} stands for a secret that you are not shown, and would be written in its place. Change the text around it with Edit and leave its line out; if the secret itself must change, ask the user to do it.`,
        );
      },
    };
  });
}

function findUnknownMarks(tool: Tool, input: unknown, context: ToolContext): string[] {
  const marks = stringsIn(input).flatMap(redactionMarksIn);
  const subject = tool.subject(input);
  if (marks.length === 0 || subject.kind !== "path") return marks;
  const file = readBoundedFile(resolve(context.cwd, subject.path), sizeLimit);
  const text = file.kind === "read" ? Buffer.from(file.bytes).toString("utf8") : "";
  return marks.filter((mark) => !text.includes(mark));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
