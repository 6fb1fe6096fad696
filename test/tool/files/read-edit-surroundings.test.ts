import { afterEach, beforeEach, expect, it } from "vitest";
import { editTool } from "../../../src/tool/builtin/edit.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

const around = async (old: string) => {
  const found = await editTool.around?.({ file_path: "a.txt", old_string: old, new_string: "x" }, bench.context);
  return found && "before" in found ? found : undefined;
};
const text = "one\ntwo\nthree\n  four(4);\nfive\nsix\nseven\neight\n";
const nothing = { prefix: "", suffix: "", others: 0 };

it.each([
  [
    "a part of a line",
    "four",
    { line: 4, prefix: "  ", suffix: "(4);", before: ["one", "two", "three"], after: ["five", "six", "seven"] },
  ],
  ["a whole line", "  four(4);\n", { line: 4, before: ["one", "two", "three"], after: ["five", "six", "seven"] }],
  [
    "over lines",
    "e\n  f",
    { line: 3, prefix: "thre", suffix: "our(4);", before: ["one", "two"], after: ["five", "six", "seven"] },
  ],
  ["the beginning", "one", { line: 1, before: [], after: ["two", "three", "  four(4);"] }],
  ["the end", "eight\n", { line: 8, before: ["five", "six", "seven"], after: [] }],
  ["several places", "e", { line: 1, prefix: "on", before: [], after: ["two", "three", "  four(4);"], others: 6 }],
])("lines around %s", async (_, old, expected) => {
  bench.write("a.txt", text);
  await bench.call("Read", { file_path: "a.txt" });
  expect(await around(old)).toEqual({ ...nothing, ...expected });
});

it("is undefined when the edit would fail: not read, changed since, missing file, missing text", async () => {
  expect(await around("one")).toBeUndefined();
  bench.write("a.txt", text);
  expect(await around("one")).toBeUndefined();
  await bench.call("Read", { file_path: "a.txt" });
  expect(await around("nine")).toBeUndefined();
  bench.write("a.txt", `${text}nine\n`);
  expect(await around("nine")).toBeUndefined();
});

it("is bounded", async () => {
  bench.write("a.txt", `${"y".repeat(5_000)}\nhere${"z".repeat(5_000)}\r\n`);
  await bench.call("Read", { file_path: "a.txt" });
  const found = await around("here");
  expect([found?.before[0]?.length, found?.suffix.length]).toEqual([501, 501]);
});
