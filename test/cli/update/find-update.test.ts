import { chmodSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findUpdate, mayCheckForUpdate } from "../../../src/cli/update/find-update.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const dayMs = 86_400_000;

/** A home, and a PATH with an `npm` that runs this line and keeps its arguments. */
function withNpm(line: string) {
  const tree = tempTree({ "bin/npm": `#!/bin/sh\necho "$@" >> "\${0%/*}/calls"\n${line}\n` });
  chmodSync(tree.path("bin/npm"), 0o755);
  tree.folder("home");
  const find = (current: string, now = 0) =>
    findUpdate({
      home: tree.path("home"),
      env: { PATH: `${tree.path("bin")}:/usr/bin:/bin` },
      current,
      now,
      signal: new AbortController().signal,
    });
  return { tree, find, calls: () => readFileSync(tree.path("bin/calls"), "utf8").trim().split("\n") };
}

test("a newer version is named with the command, and npm is asked once a day", async () => {
  const { find, calls } = withNpm("echo 1.10.0");
  const line = "Troupe 1.10.0 is available; this is 1.9.3. Run 'npm install -g troupe@latest'.";
  expect(await find("1.9.3")).toBe(line);
  expect(await find("1.9.3", dayMs - 1)).toBe(line);
  expect(calls()).toEqual(["view troupe version"]);
  expect(await find("1.10.0", dayMs)).toBeUndefined();
  expect(calls()).toHaveLength(2);
});

test("the same or an older version, a failure and other output say nothing", async () => {
  expect(await withNpm("echo 1.2.3").find("1.2.3")).toBeUndefined();
  expect(await withNpm("echo 1.2.3").find("1.3.0")).toBeUndefined();
  expect(await withNpm("echo 9.9.9; exit 1").find("1.0.0")).toBeUndefined();
  expect(await withNpm("echo '<html>'").find("1.0.0")).toBeUndefined();
});

test("a damaged result of an earlier check is replaced", async () => {
  const { tree, find } = withNpm("echo 2.0.0");
  tree.write("home/update-check.json", "{");
  expect(await find("1.0.0", 5)).toContain("Troupe 2.0.0");
  expect(JSON.parse(readFileSync(tree.path("home/update-check.json"), "utf8"))).toEqual({
    checkedAt: 5,
    latest: "2.0.0",
  });
});

test("no check in CI, with NO_UPDATE_NOTIFIER, or if the settings say no", () => {
  expect(mayCheckForUpdate({}, undefined)).toBe(true);
  expect(mayCheckForUpdate({ CI: "true" }, undefined)).toBe(false);
  expect(mayCheckForUpdate({ NO_UPDATE_NOTIFIER: "1" }, undefined)).toBe(false);
  expect(mayCheckForUpdate({}, false)).toBe(false);
});
