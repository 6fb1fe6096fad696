import { type CappedFile, openCappedFile } from "./capped-file.ts";
import { cleanText, wholeCharacters } from "./clean-text.ts";

/**
 * Takes output of any length in bounded memory: the beginning and the end are kept, the whole goes to a file as soon as
 * it is too long to be shown.
 */
export interface SpooledOutput {
  add(chunk: Buffer): void;
  /** Clean text, and the file if there is one. Called once, at the end. */
  finish(): { text: string; savedTo?: string };
}

export interface SpoolOptions {
  /** Bytes that are shown; also what is kept of the beginning and of the end. */
  readonly showBytes: number;
  readonly fileLimitBytes: number;
  /** Where the whole goes, if it has to. */
  readonly file: string;
}

export function spoolOutput(options: SpoolOptions): SpooledOutput {
  const half = Math.floor(options.showBytes / 2);
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let total = 0;
  let file: CappedFile | undefined;
  return {
    add(chunk) {
      total += chunk.length;
      if (file) {
        file.write(chunk);
        tail = chunk.length >= half ? Buffer.from(chunk.subarray(-half)) : Buffer.concat([tail, chunk]).subarray(-half);
        return;
      }
      head = Buffer.concat([head, chunk]);
      if (total <= options.showBytes) return;
      file = openOrExplain(options);
      file.write(head);
      tail = Buffer.from(head.subarray(Math.max(half, head.length - half)));
      head = Buffer.from(head.subarray(0, half));
    },
    finish() {
      if (!file) return { text: cleanText(head.toString("utf8")) };
      file.close();
      const incomplete = file.incomplete();
      const cut = total - head.length - tail.length;
      const where = `The whole is in ${options.file}${incomplete === undefined ? "" : ` (${incomplete})`}`;
      const notice = `[… ${cut} bytes cut here. ${where}: use Read with offset and limit, or Grep, on that file.]`;
      const text = `${textOf(head)}\n\n${notice}\n\n${textOf(tail)}`;
      return { text, savedTo: options.file };
    },
  };
}

/** Output comes in the middle of things, where nothing may be thrown: a file that cannot be made is told in the notice. */
function openOrExplain({ file, fileLimitBytes }: SpoolOptions): CappedFile {
  try {
    return openCappedFile(file, fileLimitBytes);
  } catch (error) {
    const reason = `it could not be written: ${(error as Error).message}`;
    return { write: () => undefined, size: () => 0, incomplete: () => reason, close: () => undefined };
  }
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
