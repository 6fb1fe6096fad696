import { expect, test } from "vitest";
import type { TranscriptItem } from "../../../../../src/view/index.ts";
import { createMatcher } from "../../../../../web/src/views/transcript/search/matcher.ts";

const place = { seq: 1, at: "2026-01-01T00:00:00.000Z" };
const said = (text: string): TranscriptItem => ({ ...place, kind: "text", turn: 1, text });
const call = {
  ...place,
  kind: "call",
  turn: 1,
  callId: "c",
  name: "Bash",
  input: { command: "git log", env: { DEEP: ["down"] } },
  title: "$ git log",
  state: "ok",
  result: {
    content: [{ type: "text", text: "commit 1\nAuthor: Ann" }],
    display: undefined,
    savedTo: undefined,
    durationMs: 1,
  },
  progress: "",
} as unknown as TranscriptItem;

test("words are found in all text that a row can show, literally and in any case", () => {
  const finds = (words: string, item: TranscriptItem) => createMatcher(words)(item);
  expect(finds("PARSER", said("Fix the parser."))).toBe(true);
  expect(finds("the parser now", said("Fix **the `parser`** now."))).toBe(true);
  expect(finds("line one line two", said("line one\n  line two"))).toBe(true);
  expect(finds("a.c", said("abc"))).toBe(false);
  for (const words of ["(", "[a-", "\\", "a{2", "*", "$", "x|y", "/", "-"])
    expect(finds(words, said(`<${words}>`))).toBe(true);
  expect(finds("ann", call)).toBe(true);
  expect(finds("git LOG", call)).toBe(true);
  expect(finds("down", call)).toBe(true);
  expect(finds("bash", call)).toBe(true);
  expect(finds("missing", call)).toBe(false);
});
