import { afterEach, beforeEach, expect, it } from "vitest";
import { writeTool } from "../../../src/tool/builtin/write.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

const preview = (content: string) => writeTool.around?.({ file_path: "a.txt", content }, bench.context);

it("shows what a write over an existing file adds and removes", async () => {
  bench.write("a.txt", "one\ntwo, which matters\nthree\n");
  await bench.call("Read", { file_path: "a.txt" });
  expect(await preview("one\nzwei\n")).toEqual({ patch: "@@ -1,3 +1,2 @@\n one\n-two, which matters\n-three\n+zwei" });
});

it("is undefined for a new file, an unread file and the same content", async () => {
  expect(await preview("one\n")).toBeUndefined();
  bench.write("a.txt", "one\n");
  expect(await preview("two\n")).toBeUndefined();
  await bench.call("Read", { file_path: "a.txt" });
  expect(await preview("one\n")).toBeUndefined();
});
