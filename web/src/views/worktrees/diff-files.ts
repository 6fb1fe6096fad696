/** What a unified diff says of one file. */
export interface DiffFile {
  readonly path: string;
  readonly patch: string;
}

/** A diff of many files, file by file; what stands before the first is left out. */
export function diffFiles(diff: string): readonly DiffFile[] {
  const files: { path: string; lines: string[] }[] = [];
  let [old, next] = [0, 0];
  for (const line of diff.split("\n")) {
    // What a file says looks like a diff at times: within a place so many lines are its own, whatever they say.
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
