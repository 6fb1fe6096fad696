import { resolve } from "node:path";
import { redactionMarksIn } from "../../platform/index.ts";
import { failedResult, type Tool, type ToolContext } from "../../tool/index.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

const sizeLimit = 5_000_000;

/**
 * Models see redaction marks instead of secrets. A written mark would overwrite the secret, so tools that change files
 * refuse marks that are not already in the file.
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
          `Not written: ${mark} stands for a secret that is hidden from you, and writing it would destroy the secret. Change only the text around it, without its line. If the secret itself must change, ask the user to change it.`,
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
