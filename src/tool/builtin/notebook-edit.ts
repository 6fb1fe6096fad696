import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";
import { diffDisplay } from "../files/diff-display.ts";
import { changeNotebook } from "../files/change-notebook.ts";
import { didYouMean } from "../files/nearest-file.ts";
import { isUnchanged, openForChange } from "../files/open-for-change.ts";
import { digestOf } from "../files/open-regular-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { PathInput, resolvePath, shownPath } from "../files/resolve-path.ts";
import { encodeTextFile } from "../files/text-file.ts";

const NotebookEditInput = z.strictObject({
  notebook_path: PathInput.describe("The .ipynb file: absolute, or relative to the working directory"),
  cell_number: z.number().int().min(0).describe("The number of the cell, as Read shows it"),
  new_source: z.string().optional().describe("The whole new text of the cell. Not for delete"),
  cell_type: z.enum(["code", "markdown"]).optional().describe("The type of the cell. Default for insert: code"),
  edit_mode: z
    .enum(["replace", "insert", "delete"])
    .optional()
    .describe("insert adds a cell after cell_number, 0 for the beginning. Default: replace"),
});
type NotebookEditInput = z.infer<typeof NotebookEditInput>;

export const notebookEditTool = defineTool<NotebookEditInput>({
  name: "NotebookEdit",
  description:
    "Replaces, inserts or deletes one cell of a Jupyter notebook that you have read with Read. A changed code cell loses its old outputs.",
  input: NotebookEditInput,
  access: "write",
  subject: (input) => ({ kind: "path", path: input.notebook_path, change: true }),
  title: ({ notebook_path, edit_mode = "replace", cell_number }) =>
    `NotebookEdit ${notebook_path} (${edit_mode} cell ${cell_number})`,
  async execute(input, context) {
    const path = resolvePath(input.notebook_path, context);
    const target = await openForChange(path, "edit", context);
    if (target.kind === "refused") return failedResult(target.message);
    if (target.kind === "absent")
      return failedResult([`${path} does not exist.`, await didYouMean(path, context)].filter(Boolean).join(" "));
    const changed = changeNotebook(target.file.text, input);
    if ("problem" in changed) return failedResult(`${path} was not changed: ${changed.problem}`);
    if (!(await isUnchanged(target.realPath, target.bytes)))
      return failedResult(`${path} was not changed: another program has just changed it. Read it again.`);
    context.signal.throwIfAborted();
    const bytes = encodeTextFile({ ...target.file, text: changed.text });
    await replaceFile(target.realPath, bytes);
    const text = `${changed.did} of ${shownPath(path, context)}. It has ${changed.cells} cells now.`;
    const files = [{ path: target.realPath, digest: digestOf(bytes) }];
    return { ...textResult(text, await diffDisplay(path, target.file.text, changed.text)), files };
  },
});
