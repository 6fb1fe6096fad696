import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readJsonFile, writeFileAtomic } from "../../../src/platform/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const schema = z.object({ name: z.string(), size: z.number() });

const read = async (content: string | Buffer) => {
  const path = join(temporaryFolder(), "a.json");
  writeFileSync(path, content);
  return readJsonFile(path, schema);
};

describe("writeFileAtomic", () => {
  it("replaces the whole file with the requested mode and leaves no other file", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "settings.json");
    await writeFileAtomic(path, "old");
    await writeFileAtomic(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await writeFileAtomic(join(folder, "b"), Buffer.from([1, 2]), { mode: 0o644 });
    expect(statSync(join(folder, "b")).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder).toSorted()).toEqual(["b", "settings.json"]);
  });

  it("leaves the old file when it fails", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "taken", "by-a-folder"), { recursive: true });
    await expect(writeFileAtomic(join(folder, "taken"), "x")).rejects.toMatchObject({ code: "storage" });
    expect(readdirSync(folder)).toEqual(["taken"]);
    const missing = writeFileAtomic(join(folder, "no", "folder"), "x");
    await expect(missing).rejects.toMatchObject({ code: "storage", cause: { code: "ENOENT" } });
  });

  it("readers see one complete version or the other", async () => {
    const path = join(temporaryFolder(), "a");
    const versions = ["a".repeat(200_000), "b".repeat(200_000)];
    await writeFileAtomic(path, versions[0] ?? "");
    const seen = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const state = { isDone: false };
      const writing = writeFileAtomic(path, versions[i % 2] ?? "").finally(() => {
        state.isDone = true;
      });
      while (!state.isDone) {
        seen.add(readFileSync(path, "utf8"));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
    }
    expect([...seen].every((content) => versions.includes(content))).toBe(true);
  });
});

describe("readJsonFile", () => {
  it("reads valid content, also with a byte order mark", async () => {
    expect(await read('\uFEFF{"name":"a","size":1}')).toEqual({ name: "a", size: 1 });
    expect(await read('{"name":"a","size":1,"__proto__":{"polluted":true}}')).toEqual({ name: "a", size: 1 });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("returns undefined for a missing file and throws for any other error", async () => {
    const folder = temporaryFolder();
    expect(await readJsonFile(join(folder, "none.json"), schema)).toBeUndefined();
    await expect(readJsonFile(folder, schema, { code: "settings" })).rejects.toMatchObject({ code: "settings" });
  });

  it.each([
    ["", "is empty"],
    ["\0\0\0\0", "not JSON"],
    ['{"name":"a","si', "not JSON"],
    ['{"name":"a",\n"size":}', "a.json:2:8 has an error"],
    ['{"name":5,"size":1}', "name: "],
    ["[]", "the whole file: "],
    ["null", "the whole file: "],
    [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, "the whole file: "],
  ])("names file and reason of bad content (%#)", async (content, reason) => {
    await expect(read(content)).rejects.toThrow(reason);
    await expect(read(content)).rejects.toThrow("a.json");
  });

  it("does not accept other encodings", async () => {
    await expect(read(Buffer.from('{"name":"\xe9","size":1}', "latin1"))).rejects.toThrow("not UTF-8");
  });
});
