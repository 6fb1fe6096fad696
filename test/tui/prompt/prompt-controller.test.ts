import { expect, test } from "vitest";
import { createKeyReader } from "../../../src/tui/terminal/input-keys.ts";
import { moveRow, rowsOf } from "../../../src/tui/prompt/prompt-buffer.ts";
import { createPrompt, type PromptPorts } from "../../../src/tui/prompt/prompt-controller.ts";

const up = "\x1b[A";
const down = "\x1b[B";
const left = "\x1b[D";

function writing(ports: Partial<PromptPorts> = {}, earlier: readonly string[] = []) {
  const said: string[] = [];
  const kept: string[] = [];
  const hints: string[] = [];
  let now = 0;
  const prompt = createPrompt({
    submit: (text) => void said.push(text),
    interrupt: () => false,
    slashCommands: () => [
      { name: "model", description: "another model", argumentHint: "[name]" },
      { name: "mcp", description: "servers" },
      { name: "compact", description: "a summary" },
    ],
    findFiles: (query) => Promise.resolve(["src/a.ts", "src/b.ts"].filter((path) => path.includes(query))),
    hint: (text) => void hints.push(text),
    problem: (text) => void hints.push(text),
    history: { entries: () => Promise.resolve(earlier), add: async (text) => void kept.push(text) },
    width: () => 20,
    now: () => now,
    ...ports,
  });
  const keys = createKeyReader({ escapeMs: 0 });
  keys.subscribe((key) => prompt.key(key));
  const state = prompt.store.getState;
  return {
    said,
    kept,
    hints,
    state,
    press: (...chunks: string[]) => chunks.forEach((chunk) => keys.push(chunk)),
    text: () =>
      `${state().buffer.text.slice(0, state().buffer.cursor)}|${state().buffer.text.slice(state().buffer.cursor)}`,
    later: (ms: number) => (now += ms),
    escape: () => keys.push("\x1b[27u"),
  };
}

test("submitted text is sent, kept in the history, and removed from the prompt", () => {
  const { press, said, kept, text } = writing();
  press("hello", " you\r", "\r");
  expect([said, kept, text()]).toEqual([["hello you"], ["hello you"], "|"]);
});

const edits: readonly (readonly [string, string[], string])[] = [
  ["moves by what is seen as one character", ["a👩‍👩‍👧b", left, left], "a|👩‍👩‍👧b"],
  ["deletes one of those", ["a👩‍👩‍👧", "\x7f"], "a|"],
  ["goes over words", ["one two", "\x1bb", "x"], "one x|two"],
  ["deletes a word", ["one two-three", "\x17"], "one |"],
  ["deletes part of a word", ["one two-three", "\x1b\x7f"], "one two-|"],
  ["deletes to the end and puts it back", ["abc", left, left, "\x0b", "\x01", "\x19"], "bc|a"],
  ["deletes to the beginning of the line", ["a\x1b[13;2ubc", "\x15"], "a\n|"],
  ["begins a new line with a backslash", ["a\\\r", "b"], "a\nb|"],
  ["begins a new line with ctrl+j", ["a\nb"], "a\nb|"],
  ["undoes", ["abc", "\x17", "\x1f"], "abc|"],
];

test.each(edits)("%s", (_, chunks, expected) => {
  const { press, text } = writing();
  press(...chunks);
  expect(text()).toBe(expected);
});

test("up and down move through the rows, then through the history", async () => {
  const { press, text, state } = writing({}, ["first", "second"]);
  await expect.poll(() => state().history).toHaveLength(2);
  press("ab\ncd", up);
  expect(text()).toBe("ab|\ncd");
  press(up);
  expect(text()).toBe("second|");
  press(up, up);
  expect(text()).toBe("first|");
  press(down, down);
  expect(text()).toBe("ab\ncd|");
});

test("ctrl+r searches the history", async () => {
  const { press, text, state, said, escape } = writing({}, ["run the tests", "read it", "run it"]);
  await expect.poll(() => state().history).toHaveLength(3);
  press("x", "\x12", "run");
  expect(state().buffer.text).toBe("run it");
  press("\x12");
  expect(state().buffer.text).toBe("run the tests");
  press("\x12");
  expect(state().buffer.text).toBe("run the tests");
  escape();
  expect(text()).toBe("x|");
  press("\x12", "read\r");
  expect(said).toEqual(["read it"]);
});

test("a short paste is inserted, a long one is a placeholder until it is sent", () => {
  const { press, text, said } = writing();
  const long = Array.from({ length: 40 }, (_, index) => `line ${index} [Pasted text #1, 40 lines]`).join("\r");
  press("\x1b[200~a\rb\x1b[201~");
  expect(text()).toBe("a\nb|");
  press(` \x1b[200~${long}\x1b[201~`);
  expect(text()).toBe("a\nb [Pasted text #1, 40 lines]|");
  press("\x7f");
  expect(text()).toBe("a\nb |");
  press("\x1f", "!\r");
  expect(said).toEqual([`a\nb ${long.replaceAll("\r", "\n")}!`]);
});

test("commands are suggested at the start, and accepted with Tab or Enter", () => {
  const { press, said, state, text } = writing();
  press("/m");
  expect(state().completion?.items.map(({ value }) => value)).toEqual(["/model", "/mcp", "/compact"]);
  press("\t");
  expect(text()).toBe("/model |");
  press("\x15", "/mo\r");
  expect(said).toEqual(["/model"]);
  press("a /m");
  expect(state().completion).toBeUndefined();
});

test("files are suggested after an @", async () => {
  const { press, said, state, text } = writing();
  press("see @");
  await expect.poll(() => state().completion?.items).toHaveLength(2);
  press(down, "\r");
  expect(text()).toBe("see @src/b.ts |");
  press("ok\r");
  expect(said).toEqual(["see @src/b.ts ok"]);
});

test("escape interrupts; two in quick succession clear the prompt", () => {
  let interrupted = 0;
  const { press, escape, text, later, hints } = writing({ interrupt: () => ++interrupted < 0 });
  press("abc");
  escape();
  later(2_000);
  escape();
  expect([interrupted, text(), hints.length]).toEqual([2, "abc|", 2]);
  escape();
  expect(text()).toBe("|");
  press("\x1b[A");
  expect(text()).toBe("abc|");
});

test("a history that cannot be saved is reported once", async () => {
  const { press, hints } = writing({
    history: { entries: () => Promise.resolve([]), add: () => Promise.reject(new Error("the disk is full")) },
  });
  press("a\r", "b\r");
  await expect.poll(() => hints).toEqual(["cannot store the prompt history: the disk is full"]);
});

test("rows: the cursor after a full row is on the next", () => {
  expect(rowsOf("abcd\nef", 4)).toEqual([
    { start: 0, end: 4 },
    { start: 4, end: 4 },
    { start: 5, end: 7 },
  ]);
  expect(moveRow({ text: "日本\nabcdef", cursor: 2 }, 1, 10)?.cursor).toBe(7);
});
