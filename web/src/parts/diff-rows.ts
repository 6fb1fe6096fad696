import type { Surroundings } from "../../../src/protocol/index.ts";

export interface DiffRow {
  readonly kind: "added" | "removed" | "same" | "gap" | "note";
  /** Line number in the new file, or in the old file for a removed line. */
  readonly number: number | undefined;
  readonly text: string;
  /** The range that differs from the replaced or replacing line. */
  readonly changed?: readonly [number, number];
}

/** Parses a unified diff. Lines before the first hunk are dropped except notes: the path is shown by the caller. */
export function diffRows(patch: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldLine, newLine] = [0, 0];
  let isInHunk = false;
  for (const text of patch.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk) {
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
      if (isInHunk) rows.push({ kind: "gap", number: undefined, text: "⋮" });
      isInHunk = true;
    } else if (!isInHunk) {
      if (!/^(?:---|\+\+\+|diff |index )/.test(text) && text !== "")
        rows.push({ kind: "note", number: undefined, text });
    } else if (text.startsWith("+")) rows.push({ kind: "added", number: newLine++, text: text.slice(1) });
    else if (text.startsWith("-")) rows.push({ kind: "removed", number: oldLine++, text: text.slice(1) });
    else if (text.startsWith("\\")) rows.push({ kind: "note", number: undefined, text });
    else {
      rows.push({ kind: "same", number: newLine, text: text.slice(1) });
      [oldLine, newLine] = [oldLine + 1, newLine + 1];
    }
  }
  return withChanges(rows);
}

/**
 * Returns the rows of a text replacement. The common beginning and end stay unchanged. With surroundings, the lines are
 * complete and numbered.
 */
export function changeRows(before: string, after: string, around?: Surroundings): readonly DiffRow[] {
  const whole = (text: string) => {
    const lines = `${around?.prefix ?? ""}${text}${around?.suffix ?? ""}`.split("\n");
    return [...(around?.before ?? []), ...lines, ...(around?.after ?? [])];
  };
  const [old, next] = [whole(before), whole(after)];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const first = around && Math.max(1, around.line - around.before.length);
  const rows = (kind: DiffRow["kind"], lines: readonly string[], from: number): DiffRow[] =>
    lines.map((text, index) => ({ kind, number: first && first + from + index, text }));
  return withChanges([
    ...rows("same", old.slice(0, start), 0),
    ...rows("removed", old.slice(start, old.length - end), start),
    ...rows("added", next.slice(start, next.length - end), start),
    ...rows("same", next.slice(next.length - end), next.length - end),
  ]);
}

export function diffCounts(rows: readonly DiffRow[]): { readonly added: number; readonly removed: number } {
  const count = (kind: DiffRow["kind"]) => rows.filter((row) => row.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

/** If as many lines were added as removed, marks the differences of each pair. */
function withChanges(rows: readonly DiffRow[]): readonly DiffRow[] {
  const marked = [...rows];
  for (let from = 0; from < rows.length; from++) {
    if (rows[from]?.kind !== "removed") continue;
    let middle = from;
    while (rows[middle]?.kind === "removed") middle++;
    let to = middle;
    while (rows[to]?.kind === "added") to++;
    if (to - middle === middle - from) {
      for (let at = from; at < middle; at++) {
        const [a, b] = [rows[at], rows[at + middle - from]];
        const change = a && b && changedParts(a.text, b.text);
        if (!a || !b || !change) continue;
        marked[at] = { ...a, changed: change.before };
        marked[at + middle - from] = { ...b, changed: change.after };
      }
    }
    from = to - 1;
  }
  return marked;
}

/** Returns undefined if the lines have too little in common for a useful mark. */
function changedParts(a: string, b: string): { before: [number, number]; after: [number, number] } | undefined {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  if (start + end < Math.min(a.length, b.length) / 3) return undefined;
  return { before: [start, a.length - end], after: [start, b.length - end] };
}
