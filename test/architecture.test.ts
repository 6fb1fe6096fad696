import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

test("every source file that docs/architecture.md names exists", () => {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const named = [...text.matchAll(/`((?:[a-z0-9-]+\/)+[a-z0-9-]+\.tsx?)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter((path) => !existsSync(join(root, "src", path)) && !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});
