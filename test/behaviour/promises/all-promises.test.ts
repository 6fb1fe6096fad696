import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const tests = resolve(import.meta.dirname, "../..");

/** The numbers of the promises in the titles of a file's tests: `promise 07: …`, `promise 11, 12: …`. */
const kept = (file: string) =>
  [
    ...readFileSync(join(tests, file), "utf8").matchAll(
      /^\s*(?:test|it|describe)(?:\.\w+)*\(\s*["'`]promise ([\d, ]+):/gm,
    ),
  ]
    .flatMap(([, numbers = ""]) => numbers.split(","))
    .map(Number);

test("each promise has a test in this folder and none in another", () => {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const isHere = (name: string) => name.startsWith("behaviour/promises/");
  const numbers = new Set(files.filter(isHere).flatMap(kept));
  const promised = Array.from({ length: 40 }, (_, index) => index + 1);
  expect(promised.filter((number) => !numbers.has(number))).toEqual([]);
  expect(files.filter((name) => !isHere(name) && kept(name).length > 0)).toEqual([]);
});
