import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { probeBwrap } from "../../../src/platform/sandbox/bwrap-probe.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

it("remembers that bwrap works, for this boot and this container only", async () => {
  const memory = join(temporaryFolder(), "sandbox-works");
  expect(await probeBwrap(memory)).toMatchObject({ program: { disableUserNamespaces: true } });
  const written = readFileSync(memory, "utf8");
  expect(written).toMatch(/ yes\n$/);

  // The memory is used: another answer in the file is taken as it is.
  writeFileSync(memory, written.replace(/yes\n$/, "no\n"));
  expect(await probeBwrap(memory)).toMatchObject({ program: { disableUserNamespaces: false } });

  writeFileSync(memory, "another-boot yes\n");
  await probeBwrap(memory);
  expect(readFileSync(memory, "utf8")).toBe(written);
});

it("works without a place to remember it", async () => {
  const file = join(temporaryFolder(), "a-file");
  writeFileSync(file, "");
  expect(await probeBwrap(join(file, "sandbox-works"))).toMatchObject({ program: {} });
  expect(existsSync(join(file, "sandbox-works"))).toBe(false);
});

it("memory that is a folder or a link to itself is ignored and leaves no other file", async () => {
  const folder = temporaryFolder();
  const loop = join(folder, "loop");
  symlinkSync(loop, loop);
  expect(await probeBwrap(loop)).toHaveProperty("program");
  const taken = join(folder, "taken");
  mkdirSync(taken);
  expect(await probeBwrap(taken)).toHaveProperty("program");
  expect(readdirSync(folder).sort()).toEqual(["loop", "taken"]);
});
