import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";
import { diffDisplay } from "../files/diff-display.ts";
import { digestOf } from "../files/open-regular-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { PathInput, resolvePath, shownPath } from "../files/resolve-path.ts";
import { isUnchanged, openForChange } from "../files/open-for-change.ts";
import { encodeTextFile } from "../files/text-file.ts";

const WriteInput = z.strictObject({
  file_path: PathInput.describe("The file to write: absolute, or relative to the working directory"),
  content: z.string().describe("The whole new content of the file"),
});

export const writeTool = defineTool<z.infer<typeof WriteInput>>({
  name: "Write",
  description: `Writes a whole file: a new one, or in place of an existing one that you have read and that has not changed since. Creates missing directories. The line endings and byte order mark of an existing file are kept.`,
  input: WriteInput,
  access: "write",
  subject: (input) => ({ kind: "path", path: input.file_path, change: true }),
  title: (input) => `Write ${input.file_path}`,
  async around(input, place) {
    const { file_path: path, content } = WriteInput.parse(input);
    const target = await openForChange(resolvePath(path, place), "write", place);
    if (target.kind !== "text") return undefined;
    const after = shownText(content, target.file.crlf);
    if (target.file.text === after) return undefined;
    const { unifiedDiff } = await import("../files/unified-diff.ts"); // only runs that change files need the library
    return { patch: unifiedDiff(target.file.text, after).slice(0, maxPatch) };
  },
  async execute(input, context) {
    const path = resolvePath(input.file_path, context);
    const shown = shownPath(path, context);
    const target = await openForChange(path, "write", context);
    if (target.kind === "refused") return failedResult(target.message);
    const { crlf, bom } = target.kind === "text" ? target.file : { crlf: false, bom: false };
    const bytes = encodeTextFile({ text: input.content, bom: bom && !input.content.startsWith("\ufeff"), crlf });
    if (!(await isUnchanged(target.realPath, target.kind === "text" ? target.bytes : undefined))) {
      return failedResult(
        `${path} was not written: another agent or program has just changed it. Read it again, then write it.`,
      );
    }
    context.signal.throwIfAborted();
    await replaceFile(target.realPath, bytes);
    const before = target.kind === "text" ? target.file.text : "";
    const did = target.kind === "text" ? "Replaced the content of" : "Created";
    const kept = crlf ? " Its line ends stay CRLF." : "";
    const text = `${did} ${shown} (${lineCount(input.content)}).${kept}`;
    const files = [{ path: target.realPath, digest: digestOf(bytes) }];
    return { ...textResult(text, await diffDisplay(path, before, shownText(input.content, crlf))), files };
  },
});

const shownText = (content: string, crlf: boolean) => (crlf ? content.replaceAll("\r\n", "\n") : content);

/** A frontend offers no approval of a longer diff, so the rest is not needed. */
const maxPatch = 500_000;

function lineCount(text: string): string {
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines === 1 ? "1 line" : `${lines} lines`;
}
