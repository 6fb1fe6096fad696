import type { ToolDisplay } from "../../protocol/index.ts";

const maxLines = 400;
const maxCharacters = 40_000;

/** Returns a file change for people. A very long diff is cut, because it is stored with the call. */
export async function diffDisplay(path: string, before: string, after: string): Promise<ToolDisplay> {
  const { unifiedDiff } = await import("./unified-diff.ts"); // only runs that change files need the library
  const lines = unifiedDiff(before, after).split("\n");
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines.slice(0, maxLines)) {
    characters += line.length;
    if (characters > maxCharacters) break;
    kept.push(line);
  }
  if (kept.length < lines.length) kept.push(`… ${lines.length - kept.length} more lines`);
  return { kind: "diff", path, patch: kept.join("\n") };
}
