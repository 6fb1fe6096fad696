import * as z from "zod";
import { readEditSurroundings } from "../files/read-edit-surroundings.ts";
import { defineTool, failedResult, textResult } from "../define-tool.ts";
import { diffDisplay } from "../files/diff-display.ts";
import { didYouMean } from "../files/nearest-file.ts";
import { findOccurrences, explainNotFound } from "../files/find-occurrences.ts";
import { matchText } from "../files/match-text.ts";
import { digestOf } from "../files/open-regular-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { PathInput, resolvePath, shownPath } from "../files/resolve-path.ts";
import { isUnchanged, openForChange } from "../files/open-for-change.ts";
import { encodeTextFile } from "../files/text-file.ts";

const EditInput = z.strictObject({
  file_path: PathInput.describe("The file to change: absolute, or relative to the working directory"),
  old_string: z
    .string()
    .min(1, "must not be empty: it is the text to replace")
    .describe("The text to replace, exactly as it is in the file"),
  new_string: z.string().describe("The text to put in its place"),
  replace_all: z.boolean().optional().describe("Replace all occurrences instead of a single one"),
});

export const editTool = defineTool<z.infer<typeof EditInput>>({
  name: "Edit",
  description: `Replaces text in a file that you have read. old_string must match the file exactly, with its indentation but without the line numbers that you saw, and must occur once. Include enough surrounding lines to make it unique, or set replace_all to replace every occurrence. The file's line endings and byte order mark are kept.`,
  input: EditInput,
  access: "write",
  subject: (input) => ({ kind: "path", path: input.file_path, change: true }),
  title: (input) => `Edit ${input.file_path}`,
  around(input, place) {
    const { file_path: path, old_string: wanted } = EditInput.parse(input);
    return readEditSurroundings({ path, wanted }, place);
  },
  async execute(input, context) {
    const path = resolvePath(input.file_path, context);
    const shown = shownPath(path, context);
    const target = await openForChange(path, "edit", context);
    if (target.kind === "refused") return failedResult(target.message);
    if (target.kind === "absent")
      return failedResult(
        `${path} does not exist, so there is nothing to replace. ${(await didYouMean(path, context)) ?? "Create the file instead."}`,
      );

    const { file } = target;
    const unify = (text: string) => (file.crlf ? text.replaceAll("\r\n", "\n") : text);
    const [oldString, newString] = [unify(input.old_string), unify(input.new_string)];
    if (oldString === newString)
      return failedResult("old_string and new_string are the same: there is nothing to change.");
    const match = matchText(file.text, oldString, newString);
    if (!match && path.endsWith(".ipynb") && context.agent.tools?.has("NotebookEdit"))
      return failedResult(
        `${path} was not changed: Read shows the cells of a notebook, not its text. Use NotebookEdit.`,
      );
    if (!match) return failedResult(`${path} was not changed. ${explainNotFound(file.text, oldString)}`);
    const lines = findOccurrences(file.text, match.found);
    if (lines.length > 1 && !input.replace_all) {
      const where = `${lines.slice(0, 10).join(", ")}${lines.length > 10 ? ", …" : ""}`;
      return failedResult(
        `${path} was not changed: old_string occurs ${lines.length} times, at lines ${where}. Include more of the text around the right one in old_string, or set replace_all to replace them all.`,
      );
    }

    const text = file.text.split(match.found).join(match.replacement);
    if (!(await isUnchanged(target.realPath, target.bytes))) {
      return failedResult(
        `${path} was not edited: another agent or program has just changed it. Read it again, then edit it.`,
      );
    }
    context.signal.throwIfAborted();
    const bytes = encodeTextFile({ ...file, text });
    await replaceFile(target.realPath, bytes);
    const did = lines.length === 1 ? `at line ${lines[0]}` : `in ${lines.length} places`;
    const note = match.note === undefined ? "" : ` ${match.note}`;
    const files = [{ path: target.realPath, digest: digestOf(bytes) }];
    return { ...textResult(`Edited ${shown} ${did}.${note}`, await diffDisplay(path, file.text, text)), files };
  },
});
