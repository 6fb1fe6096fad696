import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";
import { diffDisplay } from "../files/diff-display.ts";
import { digestOf } from "../files/open-regular-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { PathInput, resolvePath, shownPath } from "../files/resolve-path.ts";
import { isUnchanged, openForChange } from "../files/open-for-change.ts";

const WriteInput = z.strictObject({
  file_path: PathInput.describe("The file to write: absolute, or relative to the working directory"),
  content: z.string().describe("The whole new content of the file"),
});

export const writeTool = defineTool<z.infer<typeof WriteInput>>({
  name: "Write",
  description: `Writes a whole file: a new one, or in place of an existing one that you have read and that has not changed since. Creates missing directories.`,
  input: WriteInput,
  access: "write",
  subject: (input) => ({ kind: "path", path: input.file_path, change: true }),
  title: (input) => `Write ${input.file_path}`,
  async execute(input, context) {
    const path = resolvePath(input.file_path, context);
    const shown = shownPath(path, context);
    const target = await openForChange(path, "write", context);
    if (target.kind === "refused") return failedResult(target.message);
    const bytes = Buffer.from(input.content, "utf8");
    if (!(await isUnchanged(target.realPath, target.kind === "text" ? target.bytes : undefined))) {
      return failedResult(
        `${path} was not written: another agent or program has just changed it. Read it again, then write it.`,
      );
    }
    context.signal.throwIfAborted();
    await replaceFile(target.realPath, bytes);
    const before = target.kind === "text" ? target.file.text : "";
    const did = target.kind === "text" ? "Replaced the content of" : "Created";
    const text = `${did} ${shown} (${lineCount(input.content)}).`;
    const files = [{ path: target.realPath, digest: digestOf(bytes) }];
    return { ...textResult(text, await diffDisplay(path, before, input.content)), files };
  },
});

function lineCount(text: string): string {
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines === 1 ? "1 line" : `${lines} lines`;
}
