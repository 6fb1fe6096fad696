import { showControls, wholeCharacters } from "../output/clean-text.ts";

const longestLine = 2000;

/** One line of a file as `Read` shows it: its number, a tab, its text; a very long one is cut and says so. */
export function numberedLine(number: number, text: string): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  const shown =
    line.length > longestLine
      ? `${wholeCharacters(line.slice(0, longestLine))} [line cut: ${line.length} characters]`
      : line;
  return `${String(number).padStart(6)}\t${showControls(shown)}`;
}
