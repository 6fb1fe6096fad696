import type { TranscriptItem } from "../../../../../src/view/index.ts";
import { partText } from "../prompt-text.ts";

/** Whether something of a transcript has the words in it, folded parts too; upper and lower case are the same. */
export type Matcher = (item: TranscriptItem) => boolean;

export function createMatcher(query: string): Matcher {
  const pattern = patternOf(query);
  const has = (text: string | undefined) => text !== undefined && text !== "" && pattern.test(text);
  // Marks that Markdown takes away are between words that are read as one phrase.
  const hasText = (text: string) => has(text) || (marks.test(text) && has(text.replaceAll(allMarks, "")));
  const known = new WeakMap<TranscriptItem, boolean>();
  return (item) => {
    const before = known.get(item);
    if (before !== undefined) return before;
    const found = isIn(item, has, hasText);
    known.set(item, found);
    return found;
  };
}

/** Words as they are; a space is any white space. */
export const patternOf = (query: string, flags = "iu"): RegExp =>
  new RegExp(
    query
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
      .join(String.raw`\s+`),
    flags,
  );

const marks = /[*_`~]/;
const allMarks = /[*_`~]/g;

type Has = (text: string | undefined) => boolean;

function isIn(item: TranscriptItem, has: Has, hasText: (text: string) => boolean): boolean {
  switch (item.kind) {
    case "prompt":
      return item.parts.some((part) => hasText(partText(part)));
    case "text":
    case "summary":
      return hasText(item.text);
    case "thinking":
      return has(item.text);
    case "call":
      return (
        has(item.name) ||
        has(item.title) ||
        valuesOf(item.input).some(has) ||
        (item.result?.display?.kind === "diff" && has(item.result.display.patch)) ||
        (item.result?.content.some((part) => has(partText(part))) ?? false)
      );
    case "notice":
      return hasText(item.message);
    case "failure":
      return has(item.failure.message);
    case "compaction":
      return hasText(item.summary);
    case "idle":
    case "stopped":
      return has(item.detail);
  }
}

/** The texts in what a tool was called with; what is deeper down is shown as JSON. */
function valuesOf(input: unknown): string[] {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null) return [];
  return Object.values(input).map((value) =>
    typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""),
  );
}
