import * as z from "zod";

const Cell = z.looseObject({ cell_type: z.string() });
const Notebook = z.looseObject({
  cells: z.array(Cell),
  nbformat: z.number().optional(),
  nbformat_minor: z.number().optional(),
});
type Cell = z.infer<typeof Cell>;

export interface NotebookChange {
  readonly cell_number: number;
  readonly new_source?: string | undefined;
  readonly cell_type?: "code" | "markdown" | undefined;
  readonly edit_mode?: "replace" | "insert" | "delete" | undefined;
}

export type ChangedNotebook =
  | { readonly text: string; readonly did: string; readonly cells: number }
  | { readonly problem: string };

/** Changes one cell of a notebook. All other parts of the file keep their values and their order. */
export function changeNotebook(json: string, input: NotebookChange): ChangedNotebook {
  const notebook = parseNotebook(json);
  if (!notebook) return { problem: "it is not a notebook in a known format. Edit it as text instead." };
  const { cells } = notebook;
  const { cell_number: number, edit_mode: mode = "replace", new_source: source } = input;
  const least = mode === "insert" ? 0 : 1;
  if (number < least || number > cells.length)
    return { problem: `it has cells 1 to ${cells.length}, and no cell ${number}. Read it again.` };
  if (mode !== "delete" && source === undefined) return { problem: `new_source is missing, and ${mode} needs it.` };
  const index = mode === "insert" ? number : number - 1;
  const cell = cells[index];
  if (mode === "delete") cells.splice(index, 1);
  else if (mode === "insert") cells.splice(index, 0, newCell(notebook, input.cell_type ?? "code", source ?? ""));
  else if (cell) cells[index] = changedCell(cell, input.cell_type ?? cell.cell_type, source ?? "");
  const did = { replace: "Replaced", insert: "Inserted", delete: "Deleted" }[mode];
  return { text: render(notebook, json), did: `${did} cell ${index + 1}`, cells: cells.length };
}

function parseNotebook(json: string) {
  try {
    const parsed = Notebook.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Cells have ids since format 4.5. */
function newCell(notebook: z.infer<typeof Notebook>, type: string, source: string): Cell {
  const hasIds = notebook.cells.some((cell) => "id" in cell) || (notebook.nbformat_minor ?? 0) >= 5;
  const id = hasIds ? { id: freeId(notebook.cells) } : {};
  return changedCell({ cell_type: type, ...id, metadata: {}, source: [] }, type, source);
}

function freeId(cells: readonly Cell[]): string {
  const taken = new Set(cells.map((cell) => cell["id"]));
  let number = cells.length + 1;
  while (taken.has(`cell-${number}`)) number++;
  return `cell-${number}`;
}

/** Outputs belong to the old text of a code cell. Other cells have none. */
function changedCell(cell: Cell, type: string, source: string): Cell {
  const { outputs: _, execution_count: __, ...kept } = cell;
  const code = type === "code" ? { execution_count: null, outputs: [] } : {};
  return { ...kept, cell_type: type, ...code, source: sourceLines(source) };
}

/** The format stores each line with its newline. */
const sourceLines = (source: string): readonly string[] => source.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function render(notebook: unknown, before: string): string {
  const indent = /^\s*\{\s*?\n([ \t]+)"/.exec(before)?.[1] ?? (before.includes("\n") ? " " : undefined);
  return JSON.stringify(notebook, undefined, indent) + (before.endsWith("\n") ? "\n" : "");
}
