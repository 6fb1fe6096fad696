import { expect, test } from "vitest";
import { checkOutputText, createCheckOutput } from "../../../src/team/evidence/check-output.ts";

const lines = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}`);

test("a short output is shown whole", () => {
  expect(checkOutputText("one\ntwo")).toBe("one\ntwo");
  expect(checkOutputText("")).toBe("");
});

test("a long output is shown from the start of a line near its end, and says how much is left out", () => {
  const whole = lines(500, "ok").join("\n");
  const text = checkOutputText(whole);
  const [note, ...shown] = text.split("\n");
  expect(note).toMatch(/^\[… [\d,]+ characters before this are left out\]$/);
  expect(shown.every((line) => /^ok \d+$/.test(line))).toBe(true);
  expect(shown.at(-1)).toBe("ok 499");
  expect(text.length).toBeLessThan(1_600);
  const leftOut = Number(note?.replace(/\D/g, ""));
  expect(leftOut + shown.join("\n").length).toBe(whole.length);
});

test("earlier lines that name a failure come first", () => {
  const whole = [...lines(5, "ok"), "not ok 6 - parses", "TypeError: x is not a function", ...lines(500, "ok")].join(
    "\n",
  );
  const text = checkOutputText(whole);
  expect(text).toMatch(/^not ok 6 - parses\nTypeError: x is not a function\n\[… [\d,]+ characters/);
  expect(text.endsWith("ok 499")).toBe(true);
  expect(text.length).toBeLessThan(1_600);
  expect(text.match(/not ok 6/g)).toHaveLength(1);
});

test("many lines that name a failure leave room for the end", () => {
  const text = checkOutputText([...lines(500, "not ok"), ...lines(500, "ok")].join("\n"));
  expect(text.startsWith("not ok 0\nnot ok 1\n")).toBe(true);
  expect(text.endsWith("ok 499")).toBe(true);
  expect(text.length).toBeLessThan(1_600);
});

test("a last line that is longer than the limit is cut", () => {
  const text = checkOutputText("x".repeat(5_000));
  expect(text).toBe(`[… 3,500 characters before this are left out]\n${"x".repeat(1_500)}`);
});

test("output beyond what is kept counts as left out", () => {
  const output = createCheckOutput();
  for (let n = 0; n < 20; n++) output.add(Buffer.from(`${"y".repeat(99_999)}\n`));
  output.add(Buffer.from("the end"));
  expect(output.text()).toBe("[… 2,000,000 characters before this are left out]\nthe end");
});
