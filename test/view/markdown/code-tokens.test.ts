import * as fc from "fast-check";
import { expect, test } from "vitest";
import { codeTokens } from "../../../src/view/index.ts";

const told = (code: string, language: string) =>
  codeTokens(code, language).map((line) =>
    line.filter(({ kind }) => kind !== "plain").map(({ kind, text }) => `${kind} ${text}`),
  );

test("comments, strings, numbers and keywords of a language", () => {
  expect(told('const a = "b\\"c" + 12; // d', "ts")).toEqual([
    ["keyword const", 'string "b\\"c"', "number 12", "comment // d"],
  ]);
  expect(told("x=a#b # c", "sh")).toEqual([["comment # c"]]);
  expect(told("SELECT a -- b", "sql")).toEqual([["keyword SELECT", "comment -- b"]]);
  expect(told("const a", "unknown")).toEqual([[]]);
  expect(told("const a", "constructor")).toEqual([[]]);
});

test("comments and template strings go over lines", () => {
  expect(told("/* a\nb */ if\n`c\nif` 1", "js")).toEqual([
    ["comment /* a"],
    ["comment b */", "keyword if"],
    ["string `c"],
    ["string if`", "number 1"],
  ]);
});

test("the tokens together are the code", () => {
  const piece = fc.constantFrom(
    "if",
    " ",
    '"',
    "'",
    "`",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "\\",
    "\n",
    "1",
    "é",
    "{-",
    "-}",
  );
  const language = fc.constantFrom("ts", "py", "sql", "go", "css", "haskell", "lua", "json", "none");
  fc.assert(
    fc.property(fc.array(piece), language, (pieces, name) => {
      const lines = codeTokens(pieces.join(""), name).map((line) => line.map(({ text }) => text).join(""));
      expect(lines.join("\n")).toBe(pieces.join(""));
    }),
  );
});
