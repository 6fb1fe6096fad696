import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Session } from "../../src/session/index.ts";
import type { FaceFacts } from "../../src/tui/face-facts.ts";
import { runTui } from "../../src/tui/run-tui.ts";
import { createLeanOutput } from "../../src/tui/terminal-output.ts";
import { lead, teamSession } from "../team/team-session.ts";

/** A terminal that is only pipes: what was written to it, and whether it was left in raw mode. */
function pipes() {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      stdin.isRaw = isRaw;
      return stdin;
    },
    ref: () => stdin,
    unref: () => stdin,
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 60, rows: 20 });
  let written = "";
  stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    type: (text: string) => void stdin.write(text),
    isRaw: () => stdin.isRaw,
    written: () => written,
    text: () => stripVTControlCharacters(written),
  };
}

const nobody = () => ({ text: "nobody asks" });
const nothing = () => Promise.resolve([]);
const facts: FaceFacts = {
  slashCommands: () => [],
  agentTypes: nothing,
  rules: nothing,
  hooks: nothing,
  models: nothing,
  sessions: nothing,
  setNext: () => undefined,
};

function show(session: Session, terminal: ReturnType<typeof pipes>, signal = new AbortController().signal) {
  const kept: string[] = [];
  const shown = runTui({
    session,
    facts,
    preferences: { before: {}, problem: undefined, keep: () => Promise.resolve() },
    promptHistory: { entries: nothing, add: async (text) => void kept.push(text) },
    findFiles: nothing,
    contextWindow: () => undefined,
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    env: { NO_COLOR: "1" },
    signal,
    now: () => Date.now(),
  });
  return { shown, kept };
}

const on = "\x1b[?2004h";
const off = "\x1b[?2004l";
const cursor = "\x1b[?25h";

test("keys become a prompt, the answer is printed, leaving gives the terminal back", async () => {
  const { session } = await teamSession({ answer: lead([{ text: "a fine **answer**" }], nobody) });
  const terminal = pipes();
  const { shown, kept } = show(session, terminal);
  await vi.waitFor(() => expect(terminal.text()).toContain("Say what to do"));
  expect([terminal.isRaw(), terminal.written().includes(on)]).toEqual([true, true]);
  terminal.type("hello\r");
  await vi.waitFor(() => expect(terminal.text()).toContain("● a fine answer"));
  expect(terminal.text()).toContain("❯ hello");
  terminal.type("\x04");
  expect(await shown).toBe(0);
  expect(kept).toEqual(["hello"]);
  expect(terminal.isRaw()).toBe(false);
  expect(terminal.written().lastIndexOf(off)).toBeGreaterThan(terminal.written().lastIndexOf(on));
  expect(terminal.written().lastIndexOf(cursor)).toBeGreaterThan(terminal.written().lastIndexOf("\x1b[?25l"));
});

test("whatever goes wrong inside, the terminal is given back before it is told", async () => {
  const { session } = await teamSession({ answer: lead([], nobody) });
  const broken: Session = {
    ...session,
    view: () => session.view(),
    async *events() {
      yield* [];
      await Promise.resolve();
      throw new Error("the stream broke");
    },
  };
  const terminal = pipes();
  await expect(show(broken, terminal).shown).rejects.toThrow("the stream broke");
  expect(terminal.isRaw()).toBe(false);
  expect(terminal.written()).toContain(off);
});

test("a program that has to go leaves at once", async () => {
  const { session } = await teamSession({ answer: lead([], nobody) });
  const terminal = pipes();
  const going = new AbortController();
  const { shown } = show(session, terminal, going.signal);
  await vi.waitFor(() => expect(terminal.text()).toContain("Say what to do"));
  going.abort();
  await shown;
  expect(terminal.isRaw()).toBe(false);
});

test("Ctrl+C empties what is written before it means anything else; shift+tab goes through the modes", async () => {
  const { session } = await teamSession({ answer: lead([], nobody) });
  const terminal = pipes();
  const going = new AbortController();
  onTestFinished(() => going.abort());
  const { shown } = show(session, terminal, going.signal);
  await vi.waitFor(() => expect(terminal.text()).toContain("Say what to do"));
  terminal.type("some words");
  await vi.waitFor(() => expect(terminal.text()).toContain("❯ some words"));
  terminal.type("\x03");
  terminal.type("\x1b[Z");
  await vi.waitFor(() => expect(terminal.text()).toContain("asks first"));
  expect(terminal.text()).not.toContain("again leaves");
  terminal.type("\x1b[Z");
  await vi.waitFor(() => expect(terminal.text()).toContain("accepts edits"));
  terminal.type("\x1b[Z");
  await vi.waitFor(() => expect(terminal.text()).toContain("plans only"));
  terminal.type("/nothing-of-the-kind\r");
  await vi.waitFor(() => expect(terminal.text()).toContain("nothing-of-the-kind"));
  going.abort();
  await shown;
});

test("of a frame only the lines are written that are others than before", () => {
  const { stdout, written } = pipes();
  const output = createLeanOutput(stdout);
  const erase = (lines: number) => `${"\x1b[2K\x1b[1A".repeat(lines)}\x1b[2K\x1b[G`;
  const steps: readonly (readonly [string, string])[] = [
    ["one\ntwo\nthree\n", "one\ntwo\nthree\n"],
    [`${erase(3)}one\n2\nthree\n`, "\x1b[2A2\x1b[K\n\n"],
    [`${erase(3)}one\n2\nthree\nfour\n`, "four\x1b[K\n"],
    [`${erase(4)}one\n2\n`, "\x1b[2A\x1b[J"],
    [`${erase(2)}one\n2\n`, ""],
    ["\x1b[?2026h", "\x1b[?2026h"],
    [`${erase(2)}x\n2\n`, "\x1b[2Ax\x1b[K\n\n"],
    // It was cleared, something was printed above it, and it is drawn whole.
    [erase(2), erase(2)],
    ["printed\n", "printed\n"],
    ["x\n2\n", "x\n2\n"],
    [`${erase(2)}x\n3\n`, "\x1b[1A3\x1b[K\n"],
    // Ink would clear the scrollback as well.
    ["\x1b[2J\x1b[3J\x1b[Hone\ntwo", "\x1b[Hone\x1b[K\ntwo\x1b[K\x1b[J"],
    // It does not know of that many lines.
    [`${erase(7)}y\n`, `${erase(7)}y\n`],
  ];
  let before = 0;
  for (const [given, expected] of steps) {
    output.write(given);
    expect(written().slice(before)).toBe(expected);
    before = written().length;
  }
});
