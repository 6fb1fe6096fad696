import { createRedactStream } from "../../platform/index.ts";
import { type CappedFile, openCappedFile } from "./capped-file.ts";
import { cleanText, wholeCharacters } from "./clean-text.ts";

/**
 * Takes output of any length in bounded memory: the beginning and the end are kept, and the whole goes to a file as soon
 * as it is too long to be shown. What looks like a secret is in neither.
 */
export interface SpooledOutput {
  /** Never throws. */
  add(chunk: Buffer): void;
  /** Clean text, and the file if there is one. Called once, at the end. */
  finish(): Promise<{ text: string; savedTo?: string }>;
}

export interface SpoolOptions {
  /** Bytes that are shown; half of them from the beginning and half from the end. */
  readonly showBytes: number;
  readonly fileLimitBytes: number;
  /** Where the whole goes, if it has to. */
  readonly openFile: () => Promise<string>;
  /** Secrets that are to be kept out although nothing about them looks like one. */
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
          ? `The whole was not kept${but}.`
          : `The whole is in ${path}${but}: use Read with offset and limit, or Grep, on that file.`;
      const text = `${textOf(head)}\n\n[… ${cut} ${where}]\n\n${textOf(tail)}`;
      return { text, ...(path !== undefined && { savedTo: path }) };
    },
  };
}

/** A file whose path is still being asked for; what comes meanwhile waits, up to a bound. */
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
      // Told in the result: the output that is shown is worth having without the file.
      trouble = `its file could not be written: ${(error as Error).message}`;
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
      else trouble = "it came faster than it could be written";
    },
    async close() {
      const path = await opened;
      file?.close();
      return { path, incomplete: trouble ?? file?.incomplete() };
    },
  };
}

/** Bytes cut anywhere: half a character at either end is dropped. */
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
