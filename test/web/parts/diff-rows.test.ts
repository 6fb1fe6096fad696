import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changeRows, diffCounts, diffRows } from "../../../web/src/parts/diff-rows.ts";

test("a diff is read line by line, with the line numbers of the new file", () => {
  const rows = diffRows(
    "--- a/x\n+++ b/x\n@@ -3,3 +3,4 @@\n one\n-two\n+TWO\n+more\n three\n@@ -20 +21 @@\n-x\n\\ No newline at end of file\n",
  );
  expect(rows.map(({ kind, number, text }) => [kind, number, text])).toEqual([
    ["same", 3, "one"],
    ["removed", 4, "two"],
    ["added", 4, "TWO"],
    ["added", 5, "more"],
    ["same", 6, "three"],
    ["gap", undefined, "⋮"],
    ["removed", 20, "x"],
    ["note", undefined, "\\ No newline at end of file"],
  ]);
  expect(diffCounts(rows)).toEqual({ added: 2, removed: 2 });
});

test("a replaced line is marked where it differs", () => {
  const [before, after] = diffRows("@@ -1 +1 @@\n-return a + 1;\n+return a + 20;\n");
  expect(before?.changed && before.text.slice(...before.changed)).toBe("1");
  expect(after?.changed && after.text.slice(...after.changed)).toBe("20");
  expect(diffRows("@@ -1 +1 @@\n-abc\n+xyz\n").every((row) => row.changed === undefined)).toBe(true);
});

test("property: removed and kept lines give the old text, added and kept lines the new", () => {
  const lines = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 8 })
    .map((all) => all.join("\n"));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = changeRows(before, after);
      const side = (kind: "added" | "removed") =>
        rows
          .filter((row) => row.kind === "same" || row.kind === kind)
          .map(({ text }) => text)
          .join("\n");
      expect(side("removed")).toBe(before);
      expect(side("added")).toBe(after);
    }),
  );
});
