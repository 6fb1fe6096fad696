/** Returns a unified diff with three lines of context around each change; empty if the texts are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const [oldLines, newLines] = [splitLines(before), splitLines(after)];
  return hunks(edits(oldLines, newLines)).map(renderHunk).join("\n");
}

/** One line of the edit script. The numbers count the lines before it in each text. */
interface Edit {
  readonly kind: " " | "-" | "+";
  readonly text: string;
  readonly oldAt: number;
  readonly newAt: number;
}

const around = 3;
/**
 * Maximum number of changed lines. Beyond it, the middle is shown as fully replaced, because the search would take too
 * long.
 */
const effortLimit = 400;

function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += "\n\\ No newline at end of file";
  return lines;
}

function edits(before: readonly string[], after: readonly string[]): Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const kinds = [
    ...Array.from({ length: head }, () => " " as const),
    ...changes(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...Array.from({ length: tail }, () => " " as const),
  ];
  let [oldAt, newAt] = [0, 0];
  return kinds.map((kind) => {
    const edit = { kind, text: (kind === "+" ? after[newAt] : before[oldAt]) ?? "", oldAt, newAt };
    if (kind !== "+") oldAt++;
    if (kind !== "-") newAt++;
    return edit;
  });
}

/** Finds the shortest edit script (E. Myers, 1986). */
function changes(before: readonly string[], after: readonly string[]): Edit["kind"][] {
  const [n, m] = [before.length, after.length];
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(n + m, effortLimit); d++) {
    trace.push(new Map(reach));
    const next = new Map(reach);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < n && x - k < m && before[x] === after[x - k]) x++;
      next.set(k, x);
      if (x >= n && x - k >= m) return walkBack(trace, n, m);
    }
    reach = next;
  }
  return [...before.map(() => "-" as const), ...after.map(() => "+" as const)];
}

function walkBack(trace: readonly Map<number, number>[], n: number, m: number): Edit["kind"][] {
  const kinds: Edit["kind"][] = [];
  let [x, y] = [n, m];
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const fromX = reach.get(down ? k + 1 : k - 1) ?? 0;
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      kinds.push(" ");
      x--;
      y--;
    }
    if (d > 0) kinds.push(down ? "+" : "-");
    [x, y] = [fromX, fromY];
  }
  return kinds.reverse();
}

function hunks(all: readonly Edit[]): Edit[][] {
  const found: Edit[][] = [];
  let end = -1;
  for (const [index, edit] of all.entries()) {
    if (edit.kind === " ") continue;
    const start = Math.max(index - around, 0);
    if (start <= end && found.length > 0) found.at(-1)?.push(...all.slice(end + 1, index + around + 1));
    else found.push(all.slice(start, index + around + 1));
    end = Math.min(index + around, all.length - 1);
  }
  return found;
}

function renderHunk(hunk: readonly Edit[]): string {
  const first = hunk[0] ?? { oldAt: 0, newAt: 0 };
  const olds = hunk.filter((edit) => edit.kind !== "+").length;
  const news = hunk.filter((edit) => edit.kind !== "-").length;
  const body = hunk.map((edit) => edit.kind + edit.text);
  return [`@@ -${at(first.oldAt, olds)} +${at(first.newAt, news)} @@`, ...body].join("\n");
}

/** Formats the position of a hunk: its first line and number of lines. */
const at = (line: number, count: number) => `${count === 0 ? line : line + 1},${count}`;
