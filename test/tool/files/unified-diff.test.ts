import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../src/tool/files/unified-diff.ts";

/** Applies a patch: lines outside the hunks stay. */
function apply(before: string, patch: string): string {
  if (patch === "") return before;
  const old = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const result: string[] = [];
  let at = 0;
  let newline = before.endsWith("\n");
  const lines = patch.split("\n");
  for (const [index, line] of lines.entries()) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (head) {
      const start = head[2] === "0" ? Number(head[1]) : Number(head[1]) - 1;
      while (at < start) result.push(old[at++] ?? "");
    } else if (line.startsWith("\\")) {
      newline = lines[index - 1]?.startsWith("-") ?? false;
    } else {
      if (!line.startsWith("+")) expect(old[at++]).toBe(line.slice(1));
      if (!line.startsWith("-")) {
        result.push(line.slice(1));
        newline = true;
      }
    }
  }
  if (at < old.length) newline = before.endsWith("\n");
  while (at < old.length) result.push(old[at++] ?? "");
  return result.length === 0 ? "" : result.join("\n") + (newline ? "\n" : "");
}

describe("unifiedDiff", () => {
  it("shows three lines around each change", () => {
    const before = Array.from({ length: 20 }, (_, i) => `${i}\n`).join("");
    expect(unifiedDiff(before, before.replace("5\n", "five\n").replace("19\n", "19"))).toMatchInlineSnapshot(`
      "@@ -3,7 +3,7 @@
       2
       3
       4
      -5
      +five
       6
       7
       8
      @@ -17,4 +17,4 @@
       16
       17
       18
      -19
      +19
      \\ No newline at end of file"
    `);
  });

  it("turns the old text into the new one, for any texts", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
    const text = fc
      .tuple(lines, fc.boolean())
      .map(([all, end]) => (all.length === 0 ? "" : all.join("\n") + (end ? "\n" : "")));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const patch = unifiedDiff(before, after);
        expect(patch === "").toBe(before === after);
        expect(apply(before, patch)).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  it("finds many changes that are spread over a file", () => {
    const before = Array.from({ length: 1_000 }, (_, i) => `${i}\n`).join("");
    const after = before.replace(/^(\d*)[159]$/gm, "$1odd");
    const patch = unifiedDiff(before, after);
    expect(patch.split("\n").filter((line) => /^[-+]/.test(line))).toHaveLength(2 * 300);
    expect(apply(before, patch)).toBe(after);
  });

  it("keeps the surrounding lines, also when the search is aborted", () => {
    const middle = (word: string) => Array.from({ length: 3_000 }, (_, i) => `${word} ${i}\n`).join("");
    const [before, after] = ["a", "b"].map((word) => `1\n2\n3\n4\n${middle(word)}5\n6\n7\n8`) as [string, string];
    const patch = unifiedDiff(before, after);
    expect(patch.startsWith("@@ -2,3006 +2,3006 @@\n 2\n 3\n 4\n-a 0\n")).toBe(true);
    expect(patch.endsWith("+b 2999\n 5\n 6\n 7")).toBe(true);
    expect(apply(before, patch)).toBe(after);
    expect(apply("", unifiedDiff("", after))).toBe(after);
    expect(apply(before, unifiedDiff(before, ""))).toBe("");
  });

  it("ends in bounded time", () => {
    const [before, after] = ["a", "b"].map((word) =>
      Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join(""),
    );
    expect(unifiedDiff(before ?? "", after ?? "").split("\n")).toHaveLength(40_001);
  });
});
