import { createRedactStream } from "../../platform/index.ts";
import { type CappedFile, openCappedFile } from "./capped-file.ts";
import { cleanText, wholeCharacters } from "./clean-text.ts";

/**
 * Collects output of any length in limited memory. Keeps the beginning and the end, and writes all output to a file
 * when it is too long to show. Redacts secrets in both.
 */
export interface SpooledOutput {
  /** Never throws. */
  add(chunk: Buffer): void;
  /** Returns clean text, and the file if there is one. Call it once, at the end. */
  finish(): Promise<{ text: string; savedTo?: string }>;
}

export interface SpoolOptions {
  /** Number of bytes to show: half from the beginning, half from the end. */
  readonly showBytes: number;
  readonly fileLimitBytes: number;
  /** Returns the path of the file for the full output. Called only if needed. */
  readonly openFile: () => Promise<string>;
  /** Secrets to redact in addition to those found by their form. */
  readonly secrets?: readonly string[] | undefined;
}

export function spoolOutput(options: SpoolOptions): SpooledOutput {
  const half = Math.floor(options.showBytes / 2);
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let total = 0;
  let file: LateFile | undefined;
  const redact = createRedactStream(options.secrets);
  const take = (chunk: Buffer) => {
    total += chunk.length;
    if (file) {
      file.write(chunk);
      tail = chunk.length >= half ? Buffer.from(chunk.subarray(-half)) : Buffer.concat([tail, chunk]).subarray(-half);
      return;
    }
    head = Buffer.concat([head, chunk]);
    if (total <= options.showBytes) return;
    file = openLate(options);
    file.write(head);
    tail = Buffer.from(head.subarray(Math.max(half, head.length - half)));
    head = Buffer.from(head.subarray(0, half));
  };
  return {
    add: (chunk) => take(redact.push(chunk)),
    async finish() {
      take(redact.flush());
      if (!file) return { text: cleanText(head.toString("utf8")) };
      const { path, incomplete } = await file.close();
      const cut = `${total - head.length - tail.length} bytes cut here.`;
      const but = incomplete === undefined ? "" : ` (${incomplete})`;
      const where =
        path === undefined
          ? `The full output was not saved${but}.`
          : `The full output is in ${path}${but}: read parts of that file, or search in it.`;
      const text = `${textOf(head)}\n\n[… ${cut} ${where}]\n\n${textOf(tail)}`;
      return { text, ...(path !== undefined && { savedTo: path }) };
    },
  };
}

/** A file whose path is not known yet. Chunks wait for it, up to a limit. */
interface LateFile {
  write(chunk: Buffer): void;
  close(): Promise<{ path: string | undefined; incomplete: string | undefined }>;
}

const waitingLimit = 16 * 1024 * 1024;

function openLate({ openFile, fileLimitBytes }: SpoolOptions): LateFile {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let file: CappedFile | undefined;
  let trouble: string | undefined;
  const open = async () => {
    try {
      const path = await openFile();
      file = openCappedFile(path, fileLimitBytes);
      for (const chunk of waiting.splice(0)) file.write(chunk);
      return path;
    } catch (error) {
      // The result reports this error: the shown output is useful without the file.
      trouble = `cannot write its file: ${(error as Error).message}`;
      waiting.splice(0);
      return undefined;
    }
  };
  const opened = open();
  return {
    write(chunk) {
      if (trouble !== undefined) return;
      if (file) return file.write(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes <= waitingLimit) waiting.push(Buffer.from(chunk));
      else trouble = "the output came faster than it could be written";
    },
    async close() {
      const path = await opened;
      file?.close();
      return { path, incomplete: trouble ?? file?.incomplete() };
    },
  };
}

/** Decodes bytes and drops a partial character at either end. */
function textOf(bytes: Buffer): string {
  let start = 0;
  while (start < 4 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return wholeCharacters(
    cleanText(
      bytes
        .subarray(start)
        .toString("utf8")
        .replace(/\ufffd$/, ""),
    ),
  );
}
