import type { TranscriptItem } from "../../../../../src/view/index.ts";
import { partText } from "../prompt-text.ts";

/** True if a transcript entry contains the query, also in folded parts; ignores case. */
export type Matcher = (item: TranscriptItem) => boolean;

export function createMatcher(query: string): Matcher {
  const pattern = patternOf(query);
  const has = (text: string | undefined) => text !== undefined && text !== "" && pattern.test(text);
  // Ignores Markdown marks between the words of a phrase.
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

/** Matches the query literally; a space matches any white space. */
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
    case "done":
      return false;
    case "idle":
    case "stopped":
      return has(item.detail);
  }
}

/** The texts in a tool's input; nested values are shown as JSON. */
function valuesOf(input: unknown): string[] {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null) return [];
  return Object.values(input).map((value) =>
    typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""),
  );
}
