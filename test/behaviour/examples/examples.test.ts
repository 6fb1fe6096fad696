import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const examples = resolve(import.meta.dirname, "../../../examples");
const temp = mkdtempSync(join(tmpdir(), "troupe-test-examples-"));
afterAll(() => rmSync(temp, { recursive: true, force: true }));

const stories = readdirSync(examples, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

test("examples exist", () => expect(stories).toContain("one-agent"));

test.for(stories)("example %s succeeds and leaves nothing behind", async (story, { signal }) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(examples, story, "main.mjs")], {
    cwd: temp,
    env: { PATH: process.env["PATH"] ?? "", TROUPE_SANDBOX: "off", HOME: temp, TMPDIR: temp },
    signal,
  });
  expect(stderr).toBe("");
  expect(stdout).not.toBe("");
  expect(readdirSync(temp)).toEqual([]);
});
