/** The part of a unified diff for one file. */
export interface DiffFile {
  readonly path: string;
  readonly patch: string;
}

/** Splits a diff of many files; drops the text before the first. */
export function diffFiles(diff: string): readonly DiffFile[] {
  const files: { path: string; lines: string[] }[] = [];
  let [old, next] = [0, 0];
  for (const line of diff.split("\n")) {
    // File content may look like a diff: the lines counted in a hunk header belong to the hunk.
    const isWithin = old > 0 || next > 0;
    const head = isWithin ? null : /^diff --git (?:"?a\/.*"? )"?b\/(.*?)"?$/.exec(line);
    if (head) files.push({ path: head[1] ?? "", lines: [] });
    files.at(-1)?.lines.push(line);
    if (!isWithin) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk) [old, next] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    } else if (line.startsWith("-")) old -= 1;
    else if (line.startsWith("+")) next -= 1;
    else if (!line.startsWith("\\")) [old, next] = [old - 1, next - 1];
  }
  return files.map(({ path, lines }) => ({ path, patch: lines.join("\n") }));
}
