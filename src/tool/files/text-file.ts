/** A text file taken apart so that an edit keeps what the editor does not see: byte order mark and line ends. */
export interface TextFile {
  /** With `\n` for every line end, where the file uses `\r\n` throughout. */
  readonly text: string;
  readonly bom: boolean;
  readonly crlf: boolean;
}

/** Undefined when it is not UTF-8: written back it would not be the same file. */
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
  // A file of mixed line ends keeps them all: it is edited as it is.
  const crlf = text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
  return { text: crlf ? text.replaceAll("\r\n", "\n") : text, bom, crlf };
}

export function encodeTextFile({ text, bom, crlf }: TextFile): Buffer {
  const body = crlf ? text.replace(/\r?\n/g, "\r\n") : text;
  return Buffer.from((bom ? "\ufeff" : "") + body, "utf8");
}

export const looksBinary = (bytes: Uint8Array) => bytes.subarray(0, 8192).includes(0);
