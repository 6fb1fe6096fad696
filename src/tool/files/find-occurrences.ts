import { nearestName } from "../../platform/index.ts";
import { oneLine } from "../../protocol/index.ts";

/** Returns the line numbers where `wanted` begins, without overlaps. */
export function findOccurrences(text: string, wanted: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let last = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    for (let i = text.indexOf("\n", last); i >= 0 && i < at; i = text.indexOf("\n", i + 1)) line++;
    last = at;
    lines.push(line);
  }
  return lines;
}

/** Explains to the model why `old_string` is not in the file: the most likely mistake, and its line. */
export function explainNotFound(text: string, wanted: string): string {
  if (/^ *\d+\t/m.test(wanted) && text.includes(wanted.replace(/^ *\d+\t/gm, ""))) {
    return "old_string contains the line numbers of Read: remove them.";
  }
  const lines = text.split("\n");
  const wantedLines = wanted.split("\n");
  const first = wantedLines.findIndex((line) => oneLine(line) !== "");
  const wantedFirst = oneLine(wantedLines[first] ?? "");
  const at = lines.findIndex((line) => oneLine(line) === wantedFirst);
  if (at < 0) {
    const near = nearestLine(lines, wantedFirst);
    return near === undefined
      ? "old_string is not in the file, and no line resembles its first line. Read the file again."
      : `old_string is not in the file. The line most similar to its first line is line ${near}:\n${show(lines[near - 1])}`;
  }
  const differs = wantedLines.slice(first).findIndex((line, i) => line !== lines[at + i]);
  const number = at + 1 + Math.max(differs, 0);
  return `old_string is not exactly in the file. It begins to match near line ${at + 1}, but line ${number} of the file is\n${show(lines[number - 1])}\nand old_string has\n${show(wantedLines[first + Math.max(differs, 0)])}`;
}

function nearestLine(lines: readonly string[], wanted: string): number | undefined {
  const candidates = lines.slice(0, 5000).map((line) => line.trim());
  const near = nearestName(
    wanted,
    candidates.filter((line) => Math.abs(line.length - wanted.length) < 20 && line !== ""),
  );
  return near === undefined ? undefined : candidates.indexOf(near) + 1;
}

/** Quotes the line, so that spaces and tabs are visible. */
const show = (line: string | undefined) => JSON.stringify((line ?? "").slice(0, 300));
