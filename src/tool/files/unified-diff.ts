import { formatPatch, OMIT_HEADERS, structuredPatch, type StructuredPatchHunk } from "diff";

/** Returns a unified diff with three lines of context around each change; empty if the texts are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const patch = structuredPatch("", "", before, after, "", "", {
    context: around,
    maxEditLength: maxEdits(before.length + after.length),
  });
  const hunks = patch?.hunks ?? [replacedMiddle(splitLines(before), splitLines(after))];
  const text = formatPatch({ oldFileName: "", newFileName: "", oldHeader: "", newHeader: "", hunks }, OMIT_HEADERS);
  return text.slice(0, -1); // without the last line end
}

const around = 3;

/**
 * The most changed lines that the search looks for, because the agent waits for it. Beyond them, everything between the
 * first and the last change is shown as replaced. A limit in time would give another diff on a slower machine.
 */
const maxEdits = (characters: number): number => (characters < 1_000_000 ? 1_500 : 400);

const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function replacedMiddle(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const from = Math.max(0, head - around);
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  const [above, below] = [before.slice(from, head), before.slice(before.length - tail).slice(0, around)];
  const context = above.length + below.length;
  return {
    oldStart: from + 1,
    oldLines: removed.length + context,
    newStart: from + 1,
    newLines: added.length + context,
    lines: [...signed(" ", above), ...signed("-", removed), ...signed("+", added), ...signed(" ", below)],
  };
}

const signed = (sign: " " | "-" | "+", lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"],
  );
