import { expect, test } from "vitest";
import * as fc from "fast-check";
import { explainNotFound } from "../../../src/tool/files/find-occurrences.ts";
import { matchText } from "../../../src/tool/files/match-text.ts";

const edited = (text: string, oldString: string, newString: string) => {
  const match = matchText(text, oldString, newString);
  return match && text.split(match.found).join(match.replacement);
};

test.each([
  ["quotes", "say \u201chi\u201d now", 'say "hi" now', 'say "hi" later', "say \u201chi\u201d later"],
  ["a letter of two characters", "cafe\u0301 = 1", "caf\u00e9 = 1", "caf\u00e9 = 2", "cafe\u0301 = 2"],
  ["a letter of one character", "caf\u00e9 = 1", "cafe\u0301 = 1", "cafe\u0301 = 2", "caf\u00e9 = 2"],
  ["mixed line endings", "a\r\nb\nc\n", "a\nb\n", "a\nB\n", "a\r\nB\nc\n"],
  ["a space that does not break", "10\u00a0kg", "10 kg", "11 kg", "11\u00a0kg"],
  ["no newline at the end of the file", "one\ntwo", "two\n", "2\n", "one\n2"],
])("the file's own form is kept: %s", (_, text, oldString, newString, result) => {
  expect(edited(text, oldString, newString)).toBe(result);
  expect(matchText(text, oldString, newString)?.note).toBeDefined();
});

test("a form that occurs twice does not count", () => {
  expect(matchText("\u201ca\u201d \u201ca\u201d", '"a"', "b")).toBeUndefined();
  expect(matchText("a b", "a\tb", "c")).toBeUndefined();
});

test("an exact match is never changed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.string({ unit: "grapheme" }),
      (around, old, next) => {
        expect(matchText(around + old + around, old, next)).toEqual({ found: old, replacement: next, note: undefined });
      },
    ),
  );
});

test("any look-alike is replaced whole, and what is around it stays", () => {
  const pieces = fc.array(
    fc.constantFrom("a", "e\u0301", "\u00e9", "\u201c", '"', "\r\n", "\n", "x\u0302", " ", "\u00a0"),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(pieces, pieces, (old, next) => {
      const text = `START${old.join("")}END`;
      const asked = old
        .join("")
        .normalize("NFC")
        .replaceAll("\u201c", '"')
        .replaceAll("\r\n", "\n")
        .replaceAll("\u00a0", " ");
      const result = edited(text, asked, next.join(""));
      if (result === undefined || text.includes(asked)) return;
      expect(result.startsWith("START") && result.endsWith("END")).toBe(true);
      const simple = (value: string) =>
        value.normalize("NFC").replaceAll("\u201c", '"').replaceAll("\r\n", "\n").replaceAll("\u00a0", " ");
      expect(simple(result)).toBe(simple(`START${next.join("")}END`));
    }),
  );
});

test("the place where most lines agree is named, with the difference", () => {
  const text = "if (a) {\n  return 1;\n}\n\nif (a) {\n\treturn 2;\n}\n";
  expect(explainNotFound(text, "if (a) {\n  return 2;\n}")).toBe(
    'old_string is not exactly in the file. The best match is at lines 5 to 7, and differs there:\nline 6 of the file: "\\treturn 2;"\n            old_string: "  return 2;"',
  );
});

test("a first line that is not in the file does not hide the rest", () => {
  const text = "const a = 1;\nfunction run() {\n  return a;\n}\n";
  expect(explainNotFound(text, "const b = 2;\nfunction run() {\n  return a;\n}")).toContain(
    'line 1 of the file: "const a = 1;"',
  );
});
