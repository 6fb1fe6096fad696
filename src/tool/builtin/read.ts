import type { FileHandle } from "node:fs/promises";
import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import * as z from "zod";
import { defineTool, failedResult, textResult, type ToolResult } from "../define-tool.ts";
import { didYouMean } from "../files/nearest-file.ts";
import { digestOf, openRegularFile, wholeFileLimit } from "../files/open-regular-file.ts";
import { renderNotebook } from "../files/render-notebook.ts";
import { PathInput, pathToOpen, resolvePath } from "../files/resolve-path.ts";
import { looksBinary } from "../files/text-file.ts";
import { type LineRange, rangeOfHandle, rangeOfText, renderRange } from "../files/line-range.ts";

const ReadInput = z.strictObject({
  file_path: PathInput.describe("The file to read: absolute, or relative to the working directory"),
  offset: z.number().int().min(0).optional().describe("The first line to read, counted from 1"),
  limit: z.number().int().min(1).optional().describe("Number of lines to read. Default: 2000"),
});
type ReadInput = z.infer<typeof ReadInput>;

const imageLimit = 3_750_000;
const documentLimit = 20_000_000;
/** Below `resultLimit`, so that `Read` itself ends at a whole line and can say where to continue. */
const textLimit = 50_000;

export const readTool = defineTool<ReadInput>({
  name: "Read",
  description: `Reads a file. Text is returned with line numbers (number, tab, text), up to 2000 lines at a time; use offset and limit for the rest of a long file. PNG, JPEG, GIF and WebP images are shown as images, PDF files as documents, .ipynb notebooks as cells with their outputs. A file must be read before it is changed. You can read several files at once. It cannot list a directory.`,
  input: ReadInput,
  access: "read",
  resultLimit: 100_000,
  subject: (input) => ({ kind: "path", path: input.file_path, change: false }),
  title: (input) => `Read ${input.file_path}`,
  async execute(input, context) {
    const path = resolvePath(input.file_path, context);
    const real = pathToOpen(path, context);
    const opened = await openRegularFile(real, path);
    if (!opened.ok)
      return failedResult(
        opened.missing
          ? `${opened.message} ${(await didYouMean(path, context)) ?? "Search for its name."}`
          : opened.message,
      );
    const { handle, stat } = opened;
    try {
      if (stat.size > wholeFileLimit) return await readHuge(handle, path, input);
      return await readOrdinary(handle, path, { input, real });
    } finally {
      await handle.close();
    }
  },
});

async function readOrdinary(
  handle: FileHandle,
  path: string,
  { input, real }: { input: ReadInput; real: string },
): Promise<ToolResult> {
  const bytes = await handle.readFile();
  const media = mediaType(bytes);
  if (media === "application/pdf") return documentResult(path, bytes);
  if (media !== undefined) return imageResult(path, bytes, media);
  const text = decode(bytes);
  if (text === undefined) {
    return failedResult(
      `${path} is a binary file of ${bytes.length} bytes and cannot be shown as text. Inspect it with a program, such as file or strings.`,
    );
  }
  return { ...textFileResult(bytes, text, { path, input }), files: [{ path: real, digest: digestOf(bytes) }] };
}

function textFileResult(bytes: Buffer, text: string, { path, input }: { path: string; input: ReadInput }): ToolResult {
  if (path.endsWith(".ipynb") && input.offset === undefined && input.limit === undefined) {
    const notebook = renderNotebook(text);
    if (notebook) return { outcome: "ok", content: notebook };
  }
  if (text === "") return textResult(`${path} exists and is empty.`);
  const shown = rangeResult(rangeOfText(text, rangeOf(input)), path);
  return text.includes("\ufffd") && !isUtf8(bytes) ? withNote(shown, notUtf8) : shown;
}

const notUtf8 =
  "[This file is not UTF-8 text: \ufffd stands for bytes that cannot be shown. Change it with a program, not as text.]";

const withNote = (result: ToolResult, text: string): ToolResult => ({
  ...result,
  content: [...result.content, { type: "text", text }],
});

async function readHuge(handle: FileHandle, path: string, input: ReadInput): Promise<ToolResult> {
  const start = Buffer.alloc(8192);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  const media = mediaType(start);
  if (media !== undefined || looksBinary(start.subarray(0, bytesRead))) {
    return failedResult(`${path} is a binary file of more than ${wholeFileLimit} bytes: too large to show.`);
  }
  return rangeResult(await rangeOfHandle(handle, rangeOf(input)), path);
}

const rangeOf = (input: ReadInput) => ({
  from: Math.max(input.offset ?? 1, 1),
  count: input.limit ?? 2000,
  limit: textLimit,
});

function rangeResult(range: LineRange, path: string): ToolResult {
  if (range.lines.length > 0) return textResult(renderRange(range));
  return failedResult(`${path} has ${range.total} lines; offset ${range.from} is beyond its end.`);
}

/** Detects the type by the first bytes: file names can be wrong. */
function mediaType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString("latin1");
  if (start.startsWith("\x89PNG\r\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "image/webp";
  if (start.startsWith("%PDF-")) return "application/pdf";
  return undefined;
}

function imageResult(path: string, bytes: Buffer, media: string): ToolResult {
  if (bytes.length > imageLimit) {
    return failedResult(
      `${path} is an image of ${bytes.length} bytes; at most ${imageLimit} can be shown. Make a smaller copy with a program and read that.`,
    );
  }
  return { outcome: "ok", content: [{ type: "image", mediaType: media, data: bytes.toString("base64") }] };
}

function documentResult(path: string, bytes: Buffer): ToolResult {
  if (bytes.length > documentLimit) {
    return failedResult(
      `${path} is a PDF of ${bytes.length} bytes; at most ${documentLimit} can be shown. Extract the pages you need with a program, such as pdftotext, and read those.`,
    );
  }
  const data = bytes.toString("base64");
  return {
    outcome: "ok",
    content: [{ type: "document", mediaType: "application/pdf", name: basename(path), data }],
  };
}

function decode(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return looksBinary(bytes) ? undefined : new TextDecoder("utf-8").decode(bytes);
}
