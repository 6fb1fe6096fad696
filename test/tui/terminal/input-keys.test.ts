import { expect, test } from "vitest";
import { createKeyReader, type KeyPress } from "../../../src/tui/terminal/input-keys.ts";

function reader() {
  const keys: KeyPress[] = [];
  const read = createKeyReader({ escapeMs: 1 });
  read.subscribe((key) => void keys.push(key));
  const names = () => keys.map(({ name, text, isPaste }) => (isPaste ? `paste(${text})` : name || `text(${text})`));
  return { push: (...chunks: string[]) => chunks.forEach((chunk) => read.push(chunk)), names, read };
}

const pressed: readonly (readonly [string, string[]])[] = [
  ["a", ["a"]],
  ["A", ["A"]],
  ["ä", ["ä"]],
  ["hello\r", ["text(hello)", "enter"]],
  ["a\rb", ["a", "enter", "b"]],
  ["\n", ["ctrl+j"]],
  ["\t\x1b[Z", ["tab", "shift+tab"]],
  ["\x7f\b", ["backspace", "backspace"]],
  ["\x01\x1a\x1f", ["ctrl+a", "ctrl+z", "ctrl+_"]],
  ["\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]],
  ["\x1bOA\x1bOF", ["up", "end"]],
  ["\x1b[1;2A\x1b[1;5C\x1b[1;3D", ["shift+up", "ctrl+right", "alt+left"]],
  ["\x1b[3~\x1b[5~\x1b[1~", ["delete", "pageup", "home"]],
  ["\x1bb\x1b\x7f\x1b\r", ["alt+b", "alt+backspace", "alt+enter"]],
  ["\x1b\x1b[D", ["alt+left"]],
  ["\x1b[13;2u\x1b[27;2;13~", ["shift+enter", "shift+enter"]],
  ["\x1b[99;5u\x1b[27u\x1b[97u", ["ctrl+c", "escape", "a"]],
  ["\x1b[97;1:3u", []],
  ["\x1b[?62;c\x1b[I", []],
];

test.each(pressed)("%j is %j", (chunk, expected) => {
  const { push, names } = reader();
  push(chunk);
  expect(names()).toEqual(expected);
});

test("a lone escape counts when nothing follows it; two are two", async () => {
  const { push, names } = reader();
  push("\x1b");
  expect(names()).toEqual([]);
  await expect.poll(() => names()).toEqual(["escape"]);
  push("\x1b\x1b");
  await expect.poll(() => names()).toEqual(["escape", "escape", "escape"]);
});

test("sequences and pastes can arrive in pieces", () => {
  const { push, names } = reader();
  push("x\x1b", "[1;", "2B", "\x1b[200", "~one\rtwo\r\nthree", "\x1b[A", "\x1b[20", "1~y");
  expect(names()).toEqual(["x", "shift+down", "paste(one\ntwo\nthree\x1b[A)", "y"]);
});

test("a handler that consumes a key hides it from later ones", () => {
  const { read } = reader();
  const second: string[] = [];
  const keys = createKeyReader();
  keys.subscribe(({ name }) => name === "a");
  const stop = keys.subscribe(({ name }) => void second.push(name));
  keys.push("a");
  keys.push("b");
  stop();
  keys.push("c");
  expect(second).toEqual(["b"]);
  read.reset();
});
