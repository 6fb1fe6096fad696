import { graphemesOf, widthOf } from "../terminal/terminal-width.ts";

/** Text that is being edited. `cursor` is an index between two graphemes. */
export interface Buffer {
  readonly text: string;
  readonly cursor: number;
}

export const emptyBuffer: Buffer = { text: "", cursor: 0 };

export const bufferOf = (text: string): Buffer => ({ text, cursor: text.length });

export function insert({ text, cursor }: Buffer, added: string): Buffer {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

/** Removes the text between the cursor and `to`. */
export function removeTo({ text, cursor }: Buffer, to: number): Buffer {
  const [from, end] = [Math.min(cursor, to), Math.max(cursor, to)];
  return { text: text.slice(0, from) + text.slice(end), cursor: from };
}

export const moveTo = (buffer: Buffer, cursor: number): Buffer =>
  cursor === buffer.cursor ? buffer : { ...buffer, cursor };

/** Targets for movement and deletion. */
export const cursorMoves = {
  left: ({ text, cursor }: Buffer) =>
    cursor - (graphemesOf(text.slice(Math.max(0, cursor - 60), cursor)).at(-1)?.length ?? 0),
  right: ({ text, cursor }: Buffer) => cursor + (graphemesOf(text.slice(cursor, cursor + 60))[0]?.length ?? 0),
  wordLeft: ({ text, cursor }: Buffer) => text.slice(0, cursor).search(/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u),
  wordRight: ({ text, cursor }: Buffer) =>
    cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0),
  /** The preceding space, as for ctrl+w in a shell. */
  blankLeft: ({ text, cursor }: Buffer) => text.slice(0, cursor).search(/\S*\s*$/),
  lineStart: ({ text, cursor }: Buffer) => text.lastIndexOf("\n", cursor - 1) + 1,
  lineEnd: ({ text, cursor }: Buffer) => {
    const end = text.indexOf("\n", cursor);
    return end < 0 ? text.length : end;
  },
} as const satisfies Readonly<Record<string, (buffer: Buffer) => number>>;

/** One line on the screen: the text from `start` to `end`. */
export interface Row {
  readonly start: number;
  readonly end: number;
}

/** Wraps the text to this width. The last row always has space for the cursor. */
export function rowsOf(text: string, width: number): Row[] {
  const room = Math.max(2, width);
  const rows: Row[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    let [from, at, used] = [start, start, 0];
    for (const grapheme of graphemesOf(line)) {
      const size = widthOf(grapheme);
      if (used + size > room) {
        rows.push({ start: from, end: at });
        [from, used] = [at, 0];
      }
      at += grapheme.length;
      used += size;
    }
    // After a full row the cursor moves to the next row.
    if (used === room) {
      rows.push({ start: from, end: at });
      from = at;
    }
    rows.push({ start: from, end: at });
    start += line.length + 1;
  }
  return rows;
}

export function rowOfCursor(rows: readonly Row[], cursor: number): number {
  const found = rows.findLastIndex(({ start }) => start <= cursor);
  return Math.max(0, found);
}

/** Moves the cursor one row up or down in the same column. Returns undefined past the first or last row. */
export function moveRow(buffer: Buffer, by: 1 | -1, width: number): Buffer | undefined {
  const rows = rowsOf(buffer.text, width);
  const at = rowOfCursor(rows, buffer.cursor);
  const [row, target] = [rows[at], rows[at + by]];
  if (!row || !target) return undefined;
  const column = widthBetween(buffer.text, row.start, buffer.cursor);
  let [cursor, used] = [target.start, 0];
  for (const grapheme of graphemesOf(buffer.text.slice(target.start, target.end))) {
    if (used + widthOf(grapheme) > column) break;
    used += widthOf(grapheme);
    cursor += grapheme.length;
  }
  return moveTo(buffer, cursor);
}

const widthBetween = (text: string, from: number, to: number): number => widthOf(text.slice(from, to));
