import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readLines } from "../../../src/platform/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const writers = ["a", "b", "c", "d", "e", "f", "g", "h"];

describe("eight processes append to one line file", () => {
  it.each([
    { bytes: 1_000_000, count: 8 },
    { bytes: 300, count: 500 },
  ])("lose nothing, mix nothing, and keep the order of each writer ($bytes bytes)", async ({ bytes, count }) => {
    const program = await buildProgram("append-lines.ts");
    onTestFinished(() => program.remove());
    const path = join(temporaryFolder(), "a.jsonl");
    const children = writers.map((writer) =>
      spawn(process.execPath, [program.path, path, writer, String(count), String(bytes)], { stdio: "inherit" }),
    );
    for (const [code] of await Promise.all(children.map((child) => once(child, "exit")))) expect(code).toBe(0);
    const { records, damaged } = readLines(path);
    expect(damaged).toEqual([]);
    for (const writer of writers) {
      const own = records
        .map(({ value }) => value as { writer: string; n: number; fill: string })
        .filter((r) => r.writer === writer);
      expect(own.map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, n) => n));
      expect(own.every(({ fill }) => fill.length === bytes && fill[0] === writer)).toBe(true);
    }
  });
});
