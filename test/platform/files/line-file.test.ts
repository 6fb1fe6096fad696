import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openLineFile, readLines } from "../../../src/platform/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const fileIn = (folder: string) => join(folder, "a.jsonl");

describe("line file", () => {
  it("creates nothing before the first append, then a file private to its owner", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path);
    expect(file.readFrom(0)).toEqual({ records: [], nextOffset: 0, damaged: [] });
    await file.append([]);
    expect(existsSync(path)).toBe(false);
    await file.append([{ a: 1 }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await file.close();
    await file.close();
    await expect(file.append([{}])).rejects.toThrow("closed");
  });

  it("writes each record as newline, JSON, newline", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path, { durability: "process" });
    await file.append([{ text: "one\ntwo" }, {}, [1], "s", 5, null]);
    await file.close();
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/^\n\{"text":"one\\ntwo","crc":"[0-9a-f]{8}"\}\n\n\{\}\n\n\[1\]\n\n"s"\n\n5\n\nnull\n$/);
    for (const line of text.split("\n")) if (line !== "") expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it("returns any JSON value unchanged", async () => {
    const folder = temporaryFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 8 }), async (values) => {
        const path = join(folder, `${count++}.jsonl`);
        const file = openLineFile(path, { durability: "process" });
        for (const value of values) await file.append([value]);
        const { records, damaged } = file.readFrom(0);
        await file.close();
        expect(damaged).toEqual([]);
        expect(records.map(({ value }) => value)).toEqual(
          values.map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("continues from an offset and leaves an unfinished line for later", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path);
    await file.append([{ n: 1 }, { n: 2 }]);
    const first = file.readFrom(0);
    appendFileSync(path, '\n{"n":3');
    const second = file.readFrom(first.nextOffset);
    expect(second.records).toEqual([]);
    expect(second.tail).toEqual({ offset: second.nextOffset, length: 6, hasZeros: false });
    appendFileSync(path, "}\n");
    expect(file.readFrom(second.nextOffset).records.map(({ value }) => value)).toEqual([{ n: 3 }]);
    await file.close();
  });

  it("never joins a record to a torn one", async () => {
    const path = fileIn(temporaryFolder());
    writeFileSync(path, '\n{"n":1}\n\n{"n":2,"text":"cut he');
    const file = openLineFile(path);
    await file.append([{ n: 3 }]);
    const { records, damaged } = file.readFrom(0);
    expect(records.map(({ value }) => value)).toEqual([{ n: 1 }, { n: 3 }]);
    expect(damaged).toHaveLength(1);
    expect(damaged[0]?.reason).toContain("not JSON");
    await file.close();
  });

  it("detects a changed byte anywhere, even if the JSON stays valid", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path);
    await file.append([{ text: "the quick brown fox" }]);
    await file.close();
    const good = readFileSync(path);
    const body = good.length - 1 - ',"crc":"00000000"}'.length;
    for (let at = 1; at < body; at++) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 1;
      writeFileSync(path, bad);
      const { records, damaged } = readLines(path);
      expect(records).toEqual([]);
      expect(damaged.length).toBeGreaterThan(0);
    }
  });

  it("tolerates a byte order mark, blank lines and lines of other programs", () => {
    const path = fileIn(temporaryFolder());
    writeFileSync(path, '\uFEFF{"a":1}\r\n\n  \n{"b":2}\n{"c":3}');
    const { records, tail, damaged } = readLines(path);
    expect(records.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(tail?.value).toEqual({ c: 3 });
    expect(damaged).toEqual([]);
  });

  it("reports invalid UTF-8 and NUL bytes as damage", () => {
    const path = fileIn(temporaryFolder());
    writeFileSync(
      path,
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n\0\0\0\n{"b":2}\n')]),
    );
    const { records, damaged } = readLines(path);
    expect(records.map(({ value }) => value)).toEqual([{ b: 2 }]);
    expect(damaged.map(({ offset }) => offset)).toEqual([0, 10]);
  });

  it("refuses a symbolic link, a folder and a file that became shorter", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "target"), "");
    symlinkSync(join(folder, "target"), join(folder, "link"));
    await expect(openLineFile(join(folder, "link")).append([{}])).rejects.toMatchObject({ code: "storage" });
    expect(() => readLines(join(folder, "link"))).toThrow("symbolic link");
    await expect(openLineFile(folder).append([{}])).rejects.toMatchObject({ code: "storage" });
    writeFileSync(join(folder, "b"), '{"a":1}\n');
    const { nextOffset } = readLines(join(folder, "b"));
    truncateSync(join(folder, "b"), 2);
    expect(() => readLines(join(folder, "b"), nextOffset)).toThrow("it was truncated");
  });

  it("does not acknowledge a write to a removed file", async () => {
    const path = fileIn(temporaryFolder());
    const shared = openLineFile(path);
    await shared.append([{ n: 1 }]);
    rmSync(path);
    await expect(shared.append([{ n: 2 }])).rejects.toThrow("removed");
    await shared.append([{ n: 3 }]);
    expect(shared.readFrom(0).records).toHaveLength(1);
    await shared.close();
    const sole = openLineFile(path, { soleWriter: true });
    await sole.append([{ n: 4 }]);
    rmSync(path);
    await expect(sole.append([{ n: 5 }])).rejects.toThrow("removed");
    await expect(sole.append([{ n: 5 }])).rejects.toThrow("removed");
    await sole.close();
  });

  it("acknowledges many appends with few syncs, in order", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path, { durability: "disk" });
    await Promise.all(Array.from({ length: 500 }, (_, n) => file.append([{ n }])));
    expect(file.readFrom(0).records.map(({ value }) => (value as { n: number }).n)).toEqual(
      Array.from({ length: 500 }, (_, n) => n),
    );
    await file.close();
  });

  it("reads lines much larger than a chunk", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path, { durability: "process" });
    const big = "ü".repeat(5_000_000);
    await file.append([{ n: 1 }, { big }, { n: 2 }]);
    expect(file.readFrom(0).records.map(({ value }) => value)).toEqual([{ n: 1 }, { big }, { n: 2 }]);
    await file.close();
  });

  it("rejects a value without a JSON form and continues", async () => {
    const path = fileIn(temporaryFolder());
    const file = openLineFile(path);
    await expect(file.append([{ ok: 1 }, 5n])).rejects.toMatchObject({ code: "storage" });
    await expect(file.append([undefined])).rejects.toMatchObject({ code: "storage" });
    expect(existsSync(path)).toBe(false);
    await file.append([{ ok: 2 }]);
    expect(file.readFrom(0).records).toHaveLength(1);
    await file.close();
  });
});
