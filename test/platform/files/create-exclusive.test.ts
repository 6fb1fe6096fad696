import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createExclusive } from "../../../src/platform/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

test("one of many concurrent writers creates the complete private file and leaves no other file", async () => {
  const folder = join(temporaryFolder(), "keys");
  const path = join(folder, "lead");
  const lines = Array.from({ length: 20 }, (_, each) => `${each}`.repeat(64));
  await Promise.all(lines.map((line) => createExclusive(path, line)));
  const written = readFileSync(path, "utf8");
  expect(lines.map((line) => `${line}\n`)).toContain(written);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await createExclusive(path, "another");
  expect(readFileSync(path, "utf8")).toBe(written);
  expect(readdirSync(folder)).toEqual(["lead"]);
});

test("fails with an error where the file cannot be created", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  await expect(createExclusive(join(folder, "file", "lead"), "x")).rejects.toThrow(/file/);
});
