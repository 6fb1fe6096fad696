import { cutAfter, type Surroundings } from "../../protocol/index.ts";
import type { ToolContext } from "../define-tool.ts";
import { findOccurrences } from "./find-occurrences.ts";
import { matchText } from "./match-text.ts";
import { resolvePath } from "./resolve-path.ts";
import { openForChange } from "./open-for-change.ts";

export type EditContext = Pick<ToolContext, "cwd" | "env" | "files" | "judgedPath">;

/** Returns the lines around a text that is to be replaced in a file. Undefined if the edit would fail anyway. */
export async function readEditSurroundings(
  { path, wanted }: { readonly path: string; readonly wanted: string },
  context: EditContext,
): Promise<Surroundings | undefined> {
  const target = await openForChange(resolvePath(path, context), "edit", context);
  if (target.kind !== "text") return undefined;
  const { text, crlf } = target.file;
  const old = matchText(text, crlf ? wanted.replaceAll("\r\n", "\n") : wanted, "")?.found;
  if (old === undefined) return undefined;
  const [line = 1, ...others] = findOccurrences(text, old);
  const at = text.indexOf(old);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const behind = at + old.length;
  // Text that ends with a line end has no suffix on its last line.
  const isWhole = old.endsWith("\n");
  const end = isWhole ? behind : lineEnd(text, behind);
  const before = text.slice(0, Math.max(0, start - 1)).split("\n");
  const after = text.slice(isWhole ? end : end + 1).split("\n");
  return {
    line,
    prefix: shortened(text.slice(start, at)),
    suffix: shortened(text.slice(behind, end)),
    before: start === 0 ? [] : before.slice(-shownLines).map(shortened),
    after: behind >= text.length || end >= text.length ? [] : after.slice(0, shownLines).map(shortened),
    others: others.length,
  };
}

const lineEnd = (text: string, from: number): number => {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
};

const shownLines = 3;
const shownCharacters = 500;

const shortened = (text: string): string => cutAfter(text, shownCharacters);
