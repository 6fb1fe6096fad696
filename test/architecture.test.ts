import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/explanation/architecture.md"), "utf8");
const filesIn = (text: string) =>
  [...text.matchAll(/`((?:[a-z0-9-]+\/)+[a-z0-9-]+\.tsx?)`/g)].map(([, path = ""]) => path);

test("every source file that docs/explanation/architecture.md names exists", () => {
  const named = filesIn(page);
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter((path) => !existsSync(join(root, "src", path)) && !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

test.for([
  ["A mail", 9],
  ["A subagent", 7],
] as const)("the walk of %s crosses layers at most %i times", ([walk, most]) => {
  const text = page.split("\n").find((line) => line.startsWith(`**${walk}**`)) ?? "";
  const layers = filesIn(text).map((path) => path.split("/")[0]);
  expect(layers.length).toBeGreaterThan(10);
  const crossings = layers.filter((layer, index) => index > 0 && layer !== layers[index - 1]).length;
  expect(crossings).toBeLessThanOrEqual(most);
});
