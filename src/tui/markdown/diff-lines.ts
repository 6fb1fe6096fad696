import { codeTokens, visibleText } from "../../view/index.ts";
import { breakLine, withHangingIndent, type Line, plainLine, span } from "../terminal/terminal-lines.ts";

/**
 * Renders a unified diff with line numbers. Added and removed lines are colored; their signs tell the same without
 * color.
 */
export function diffLines(patch: string, width: number, path = ""): Line[] {
  const rows = rowsOf(visibleText(patch).replaceAll("\t", "  "), languageOf(path));
  const digits = String(Math.max(0, ...rows.map(({ number }) => number ?? 0))).length;
  return rows.flatMap(({ number, line }) => {
    if (number === undefined) return breakLine(line, width);
    const first = span(`${String(number).padStart(digits)} `, { dim: true });
    const room = Math.max(10, width - digits - 1);
    return withHangingIndent(breakLine(line, room), first);
  });
}

/** The language of a file, for its colors: the ending of its name. */
const languageOf = (path: string): string => /\.([A-Za-z0-9]+)$/.exec(path)?.[1] ?? "";

/** A changed line of code: its sign and its ground tell the change, the letters have the colors of the language. */
function codeLine(text: string, language: string): Line {
  const sign = text.slice(0, 1);
  const change = sign === "+" ? ("added" as const) : sign === "-" ? ("removed" as const) : undefined;
  const [tokens = []] = codeTokens(text.slice(1), language);
  const code = tokens.map((token) =>
    span(token.text, {
      ...(token.kind !== "plain" && { role: token.kind }),
      ...(change && { ground: change }),
    }),
  );
  return [span(sign, change && { role: change, ground: change }), ...code];
}

/** Styles one line of a diff by its first character. */
export function diffLine(text: string): Line {
  if (/^(?:\+\+\+|---) /.test(text)) return plainLine(text, { bold: true });
  if (text.startsWith("@@")) return plainLine(text, { role: "hunk" });
  if (text.startsWith("+")) return plainLine(text, { role: "added" });
  if (text.startsWith("-")) return plainLine(text, { role: "removed" });
  return plainLine(text, text.startsWith("\\") || text.startsWith("diff ") ? { dim: true } : undefined);
}

/** Counts the lines that a diff adds and removes. */
export function diffCounts(patch: string): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  let isInHunk = false;
  for (const line of patch.split("\n")) {
    if (line.startsWith("@@")) isInHunk = true;
    else if (isInHunk && line.startsWith("+")) added += 1;
    else if (isInHunk && line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}

interface Row {
  /**
   * The line number in the new file, or in the old file for a removed line. Undefined for lines about the diff itself.
   */
  readonly number: number | undefined;
  readonly line: Line;
}

function rowsOf(patch: string, language: string): Row[] {
  const rows: Row[] = [];
  let [oldLine, newLine] = [0, 0];
  let isInHunk = false;
  for (const text of patch.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk) {
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
      // Separates two hunks of one file. The first hunk needs no mark.
      if (isInHunk) rows.push({ number: undefined, line: [span("⋮", { dim: true })] });
      isInHunk = true;
    } else if (!isInHunk) {
      // The title of the call already names the files.
      if (!/^(?:---|\+\+\+|diff |index )/.test(text) && text !== "")
        rows.push({ number: undefined, line: diffLine(text) });
    } else if (text.startsWith("+")) rows.push({ number: newLine++, line: codeLine(text, language) });
    else if (text.startsWith("-")) rows.push({ number: oldLine++, line: codeLine(text, language) });
    else if (text.startsWith("\\")) rows.push({ number: undefined, line: diffLine(text) });
    else {
      rows.push({ number: newLine, line: codeLine(text === "" ? " " : text, language) });
      [oldLine, newLine] = [oldLine + 1, newLine + 1];
    }
  }
  return rows;
}
