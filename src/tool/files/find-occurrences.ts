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

/** Explains to the model why `old_string` is not in the file: the place that fits best, and how it differs there. */
export function explainNotFound(text: string, wanted: string): string {
  const unnumbered = wanted.replace(lineNumber, "");
  if (unnumbered !== wanted && (text.includes(unnumbered) || isNumbered(wanted)))
    return text.includes(unnumbered)
      ? "old_string contains the line numbers of Read: remove them, also from new_string."
      : `old_string contains the line numbers of Read: remove them, also from new_string. Without them: ${explainNotFound(text, unnumbered)}`;
  const lines = text.split("\n");
  const wantedLines = wanted.replace(/^\n+|\n+$/g, "").split("\n");
  const start = bestStart(lines, wantedLines);
  if (start === undefined) {
    const near = nearestLine(lines, oneLine(wantedLines[0] ?? ""));
    return near === undefined
      ? "old_string is not in the file, and no line resembles its first line. Read the file again."
      : `old_string is not in the file. The line most similar to its first line is line ${near}:\n${show(lines[near - 1])}`;
  }
  const differences = wantedLines.flatMap((line, index) => difference(lines, start + index, line));
  const more = differences.length > shownDifferences ? [`and ${differences.length - shownDifferences} more lines`] : [];
  return [
    `old_string is not exactly in the file. The best match is at lines ${start + 1} to ${start + wantedLines.length}, and differs there:`,
    ...differences.slice(0, shownDifferences),
    ...more,
  ].join("\n");
}

/** The start of a line as Read shows it. Models also write the tab as an arrow, as spaces or with a colon. */
const lineNumber = /^ *\d+(?:\t|→| {2,}|[:|] ?)/gm;

/** True if each line begins with a number and a tab. */
const isNumbered = (wanted: string) =>
  wanted
    .replace(/\n+$/, "")
    .split("\n")
    .every((line) => /^ *\d+[\t→]/.test(line));

const shownDifferences = 5;

function difference(lines: readonly string[], index: number, wanted: string): readonly string[] {
  const line = lines[index];
  if (line === wanted) return [];
  if (line === undefined) return [`the file ends before line ${index + 1}, old_string has ${show(wanted)}`];
  return [`line ${index + 1} of the file: ${show(line)}\n${" ".repeat(12)}old_string: ${show(wanted)}`];
}

/** The index of the line at which most lines of `wanted` fit, apart from white space. */
function bestStart(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const key = oneLine(line);
    if (key !== "") places.set(key, [...(places.get(key) ?? []).slice(-maxPlaces), index]);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.entries())
    for (const place of places.get(oneLine(line)) ?? [])
      if (place >= index) votes.set(place - index, (votes.get(place - index) ?? 0) + 1);
  const [best] = [...votes].toSorted(([a, m], [b, n]) => n - m || a - b);
  return best?.[0];
}

/** A line such as `}` has many places. These are enough to find the others next to it. */
const maxPlaces = 200;

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
