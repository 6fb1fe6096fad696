import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRotatableLogFile, readLines } from "../../../src/platform/index.ts";
import { until } from "../../support/processes/live-processes.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const valuesOf = (path: string) => readLines(path).records.map(({ value }) => (value as { n: number }).n);

function open(path = join(temporaryFolder(), "a.jsonl"), makeFolder?: () => void) {
  const file = openRotatableLogFile(path, makeFolder === undefined ? {} : { makeFolder });
  onTestFinished(() => file.close());
  return { file, path, add: (...numbers: number[]) => Promise.all(numbers.map((n) => file.append({ n }, "process"))) };
}

describe("line file that its reader may move", () => {
  it("after a move appends go to the path again, in order, never twice in one file", async () => {
    const { add, path } = open();
    await add(1, 2);
    renameSync(path, `${path}.1`);
    await add(3, 4);
    expect(valuesOf(path)).toEqual([3, 4]);
    // The first record after the move went to the file that was still open, and then to the new one.
    expect(valuesOf(`${path}.1`)).toEqual([1, 2, 3]);
  });

  it("is created again after removal, and left alone when another file is in its place", async () => {
    const { add, path } = open();
    await add(1);
    rmSync(path);
    await add(2);
    expect(valuesOf(path)).toEqual([2]);
    writeFileSync(`${path}.other`, '\n{"n":10}\n');
    renameSync(`${path}.other`, path);
    await add(3);
    expect(valuesOf(path)).toEqual([10, 3]);
  });

  it("many writers and moves at once: every acknowledged record is at the path or in a moved file", async () => {
    const path = join(temporaryFolder(), "a.jsonl");
    const writers = Array.from({ length: 8 }, () => open(path));
    for (let round = 0; round < 50; round++) {
      const written = writers.map(({ add }, which) => add(round * 100 + which));
      if (existsSync(path)) renameSync(path, `${path}.${round}`);
      await Promise.all(written);
    }
    const files = readdirSync(join(path, "..")).map((name) => join(path, "..", name));
    const found = new Set(files.flatMap(valuesOf));
    expect(found.size).toBe(400);
  });

  it("requests its folder only when it is missing, and fails if it cannot be created", async () => {
    const folder = join(temporaryFolder(), "in");
    let asked = 0;
    const { add, path } = open(join(folder, "a.jsonl"), () => {
      asked += 1;
      mkdirSync(folder);
    });
    await add(1);
    await add(2);
    expect([asked, valuesOf(path)]).toEqual([1, [1, 2]]);
    const nowhere = open(join(folder, "no", "a.jsonl"));
    await expect(nowhere.add(1)).rejects.toMatchObject({ code: "storage" });
  });

  it("follows no symbolic link", async () => {
    const { add, path } = open();
    await add(1);
    renameSync(path, `${path}.1`);
    symlinkSync(`${path}.1`, path);
    await expect(add(2)).rejects.toMatchObject({ code: "storage" });
  });

  it.each(["process", "soon", "disk"] as const)(
    "closes its descriptor when nothing is appended (%s)",
    async (durability) => {
      const { file, path } = open();
      await file.append({ n: 1 }, durability);
      if (durability !== "disk") await until("it is closed", () => !openFiles().includes(path));
      await file.append({ n: 2 }, durability);
      expect(valuesOf(path)).toEqual([1, 2]);
      await file.close();
      expect(openFiles()).not.toContain(path);
      await expect(file.append({ n: 3 }, durability)).rejects.toThrow("is closed");
    },
  );

  it("refuses a value without a JSON form and writes nothing", async () => {
    const { file, path, add } = open();
    await add(1);
    await expect(file.append(undefined, "soon")).rejects.toMatchObject({ code: "storage" });
    await expect(file.append({ n: 1n }, "soon")).rejects.toMatchObject({ code: "storage" });
    expect(valuesOf(path)).toEqual([1]);
  });
});

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // closed after the folder was read
    }
  });
}
