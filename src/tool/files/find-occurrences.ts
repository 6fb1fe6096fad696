import { nearestName } from "../../platform/index.ts";

/** The line numbers at which `wanted` begins, without overlaps. */
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

/** What to tell a model whose `old_string` is not in the file: the likeliest slip, and where. */
export function explainNotFound(text: string, wanted: string): string {
  if (/^ *\d+\t/m.test(wanted) && text.includes(wanted.replace(/^ *\d+\t/gm, ""))) {
    return "old_string has the line numbers of Read in it: leave them out.";
  }
  const lines = text.split("\n");
  const wantedLines = wanted.split("\n");
  const first = wantedLines.findIndex((line) => loose(line) !== "");
  const wantedFirst = loose(wantedLines[first] ?? "");
  const at = lines.findIndex((line) => loose(line) === wantedFirst);
  if (at < 0) {
    const near = nearestLine(lines, wantedFirst);
    return near === undefined
      ? "old_string is not in the file, nor anything like its first line. Read the file again."
      : `old_string is not in the file. The line most like its first one is line ${near}:\n${show(lines[near - 1])}`;
  }
  const differs = wantedLines.slice(first).findIndex((line, i) => line !== lines[at + i]);
  const number = at + 1 + Math.max(differs, 0);
  return `old_string is not in the file exactly: near line ${at + 1} it begins to match, but line ${number} of the file is\n${show(lines[number - 1])}\nwhere old_string has\n${show(wantedLines[first + Math.max(differs, 0)])}`;
}

const loose = (line: string) => line.trim().replace(/\s+/g, " ");

function nearestLine(lines: readonly string[], wanted: string): number | undefined {
  const candidates = lines.slice(0, 5000).map((line) => line.trim());
  const near = nearestName(
    wanted,
    candidates.filter((line) => Math.abs(line.length - wanted.length) < 20 && line !== ""),
  );
  return near === undefined ? undefined : candidates.indexOf(near) + 1;
}

/** Quoted, so that spaces and tabs can be told apart. */
const show = (line: string | undefined) => JSON.stringify((line ?? "").slice(0, 300));
