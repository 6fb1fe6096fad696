import * as z from "zod";
import type { ContentPart } from "../../protocol/index.ts";

const Source = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))]);
const Output = z.looseObject({
  output_type: z.string(),
  text: Source.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});
const Cell = z.looseObject({ cell_type: z.string(), source: Source, outputs: z.array(Output).optional() });
const Notebook = z.looseObject({ cells: z.array(Cell) });

const outputLimit = 10_000;
const imagesShown = 5;

/**
 * Renders cells with their outputs, images as images. Returns undefined for an unknown format, which is then read as
 * text.
 */
export function renderNotebook(json: string): ContentPart[] | undefined {
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = Notebook.safeParse(data);
  if (!parsed.success) return undefined;
  const { cells } = parsed.data;
  if (cells.length === 0) return [{ type: "text", text: "The notebook has no cells." }];
  const parts = cells.flatMap((cell, index) => renderCell(cell, index + 1));
  let images = 0;
  return parts.filter((part) => part.type !== "image" || ++images <= imagesShown);
}

function renderCell(cell: z.infer<typeof Cell>, number: number): ContentPart[] {
  const text = `[cell ${number}, ${cell.cell_type}]\n${cell.source}`;
  return [{ type: "text", text }, ...(cell.outputs ?? []).flatMap((output) => renderOutput(output, number))];
}

function renderOutput(output: z.infer<typeof Output>, number: number): ContentPart[] {
  const plain = Source.safeParse(output.data?.["text/plain"]);
  const text =
    output.output_type === "error"
      ? `${output.ename ?? "Error"}: ${output.evalue ?? ""}`
      : (output.text ?? (plain.success ? plain.data : ""));
  const parts: ContentPart[] = [];
  if (text !== "") {
    const cut =
      text.length > outputLimit ? `${text.slice(0, outputLimit)}\n[output cut: ${text.length} characters]` : text;
    parts.push({ type: "text", text: `[output of cell ${number}]\n${cut}` });
  }
  for (const mediaType of ["image/png", "image/jpeg"]) {
    const image = Source.safeParse(output.data?.[mediaType]);
    if (image.success && image.data.length < 5_000_000) {
      parts.push({ type: "image", mediaType, data: image.data.replace(/\s/g, "") });
    }
  }
  return parts;
}
