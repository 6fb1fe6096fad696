/**
 * A text file split into text, byte order mark and line ends, so that an edit keeps the parts that the editor does not
 * see.
 */
export interface TextFile {
  /** Has `\n` for every line end if the file uses only `\r\n`. */
  readonly text: string;
  readonly bom: boolean;
  readonly crlf: boolean;
}

/** Returns undefined if it is not UTF-8, because it could not be written back unchanged. */
export function decodeTextFile(bytes: Uint8Array): TextFile | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_INVALID_ENCODED_DATA") return undefined;
    throw error;
  }
  const bom = text.startsWith("\ufeff");
  if (bom) text = text.slice(1);
  // A file with mixed line ends is edited as it is and keeps them all.
  const crlf = text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
  return { text: crlf ? text.replaceAll("\r\n", "\n") : text, bom, crlf };
}

export function encodeTextFile({ text, bom, crlf }: TextFile): Buffer {
  const body = crlf ? text.replace(/\r?\n/g, "\r\n") : text;
  return Buffer.from((bom ? "\ufeff" : "") + body, "utf8");
}

export const looksBinary = (bytes: Uint8Array) => bytes.subarray(0, 8192).includes(0);
