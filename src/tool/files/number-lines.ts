import { showControls, wholeCharacters } from "../output/clean-text.ts";

const longestLine = 2000;

/** Returns a line as `Read` shows it: number, tab, text. A very long line is cut and marked. */
export function numberedLine(number: number, text: string): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  const shown =
    line.length > longestLine
      ? `${wholeCharacters(line.slice(0, longestLine))} [line cut: ${line.length} characters]`
      : line;
  return `${String(number).padStart(6)}\t${showControls(shown)}`;
}
