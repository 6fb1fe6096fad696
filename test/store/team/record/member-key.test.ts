import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memberKey } from "../../../../src/store/team/record/member-key.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";

const damages: Readonly<Record<string, (path: string) => void>> = {
  "a file of zeros": (path) => writeFileSync(path, Buffer.alloc(65)),
  "an empty file": (path) => writeFileSync(path, ""),
  "a cut key": (path) => writeFileSync(path, "0f".repeat(20)),
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  "a link to itself": (path) => {
    rmSync(path);
    symlinkSync(path, path);
  },
};

test.each(Object.keys(damages))("%s in place of a key is set aside and replaced with a notice", async (what) => {
  const folder = temporaryFolder();
  const first = await memberKey("anna", { folder });
  damages[what]?.(join(folder, "anna"));
  const notices: string[] = [];
  const onReplaced = (text: string) => void notices.push(text);
  const second = await memberKey("anna", { folder, onReplaced });
  expect(second).toHaveLength(32);
  expect(second).not.toEqual(first);
  expect(await memberKey("anna", { folder, onReplaced })).toEqual(second);
  expect(notices).toEqual([expect.stringContaining("The key of anna was damaged")]);
  expect(readdirSync(folder).sort()).toEqual(["anna", expect.stringMatching(/^anna\.bad-/)]);
});

test("damaged key without anybody to notify is an error that names the file", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "anna");
  writeFileSync(path, "no key");
  await expect(memberKey("anna", { folder })).rejects.toThrow(`${path}: it is not a key; remove it`);
});

test("file system without rights: a key without the right to read it is replaced", async () => {
  const folder = temporaryFolder();
  await memberKey("anna", { folder });
  chmodSync(join(folder, "anna"), 0);
  const notices: string[] = [];
  const key = await memberKey("anna", { folder, onReplaced: (text) => void notices.push(text) });
  expect(key).toHaveLength(32);
  // The root user reads every file.
  expect(notices).toHaveLength(process.getuid?.() === 0 ? 0 : 1);
});
