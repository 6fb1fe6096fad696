import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { numberedLine } from "./number-lines.ts";

export interface WantedRange {
  /** The first line, counted from 1. */
  readonly from: number;
  readonly count: number;
  /** Maximum number of characters of all rendered lines. */
  readonly limit: number;
}

export interface LineRange {
  readonly from: number;
  /** Rendered, with their numbers. */
  readonly lines: readonly string[];
  /** Number of lines in the file; undefined if the rest was not read. */
  readonly total: number | undefined;
}

export function rangeOfText(text: string, wanted: WantedRange): LineRange {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const collector = collect(wanted);
  for (const [index, line] of all.slice(wanted.from - 1).entries()) {
    if (!collector.add(wanted.from + index, line)) break;
  }
  return { from: wanted.from, lines: collector.lines, total: all.length };
}

/** Reads only to the end of the range, and keeps only the visible part of each line. */
export async function rangeOfHandle(handle: FileHandle, wanted: WantedRange): Promise<LineRange> {
  const collector = collect(wanted);
  const decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(256 * 1024);
  let number = 1;
  let line = "";
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const pieces = decoder.write(buffer.subarray(0, bytesRead)).split("\n");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        if (number >= wanted.from && !collector.add(number, line)) {
          return { from: wanted.from, lines: collector.lines, total: undefined };
        }
        number++;
        line = "";
      }
      if (number >= wanted.from && line.length < 100_000) line += piece;
      else if (number < wanted.from) line = piece === "" ? line : "x";
    }
  }
  const last = line === "" ? number - 1 : number;
  if (line !== "" && number >= wanted.from) collector.add(number, line);
  return { from: wanted.from, lines: collector.lines, total: last };
}

/** Returns the lines, and the offset to continue from if there are more. */
export function renderRange({ from, lines, total }: LineRange): string {
  const last = from + lines.length - 1;
  const text = lines.join("\n");
  if (last === total) return text;
  const whole = total === undefined ? "a longer file" : `${total} lines`;
  return `${text}\n\n[Lines ${from} to ${last} of ${whole}. Continue with offset ${last + 1}.]`;
}

/** `add` returns false when no more lines are wanted; the first line is always added. */
function collect(wanted: WantedRange): { lines: string[]; add(number: number, text: string): boolean } {
  const lines: string[] = [];
  let size = 0;
  return {
    lines,
    add(number, text) {
      if (lines.length >= wanted.count) return false;
      const line = numberedLine(number, text);
      if (lines.length > 0 && size + line.length > wanted.limit) return false;
      size += line.length + 1;
      lines.push(line);
      return true;
    },
  };
}
