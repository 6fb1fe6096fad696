import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { screenModel } from "../../bench/screen-model.mjs";
import type { Session } from "../../src/session/index.ts";
import type { FrontendFacts } from "../../src/tui/frontend-facts.ts";
import { runTui } from "../../src/tui/run-tui.ts";
import { lead, teamSession } from "../support/team/team-session.ts";

/** A terminal of pipes: its output, and whether it is in raw mode. */
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
  const model = screenModel(stdout);
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
    model.write(chunk.toString());
  });
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    type: (text: string) => void stdin.write(text),
    isRaw: () => stdin.isRaw,
    written: () => written,
    text: () => model.all(),
    isOther: () => model.isOther(),
  };
}

const notAsked = () => ({ text: "not asked" });
const nothing = () => Promise.resolve([]);
const facts: FrontendFacts = {
  slashCommands: () => [],
  effort: () => "medium",
  agentTypes: nothing,
  rules: nothing,
  hooks: nothing,
  models: nothing,
  sessions: nothing,
  rewindPoints: nothing,
  diff: async () => "",
  setNext: () => undefined,
};

function show(session: Session, terminal: ReturnType<typeof pipes>, signal = new AbortController().signal) {
  const kept: string[] = [];
  const shown = runTui({
    session,
    facts,
    preferences: { stored: {}, problem: undefined, save: () => Promise.resolve() },
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

test("keys become a prompt, the answer is printed, quitting restores the terminal", async () => {
  const { session } = await teamSession({ answer: lead([{ text: "a fine **answer**" }], notAsked) });
  const terminal = pipes();
  const { shown, kept } = show(session, terminal);
  await expect.poll(() => terminal.text()).toContain("Describe a task · @ files · / commands · ? keys");
  expect([terminal.isRaw(), terminal.written().includes(on)]).toEqual([true, true]);
  terminal.type("hello\r");
  await expect.poll(() => terminal.text()).toContain("● a fine answer");
  expect(terminal.text()).toContain("❯ hello");
  terminal.type("\x04");
  expect(await shown).toBe(0);
  expect(kept).toEqual(["hello"]);
  expect(terminal.isRaw()).toBe(false);
  expect(terminal.written().lastIndexOf(off)).toBeGreaterThan(terminal.written().lastIndexOf(on));
  expect(terminal.written().lastIndexOf(cursor)).toBeGreaterThan(terminal.written().lastIndexOf("\x1b[?25l"));
});

test("on any failure the terminal is restored before the error is shown", async () => {
  const { session } = await teamSession({ answer: lead([], notAsked) });
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

test("a terminating process quits at once", async () => {
  const { session } = await teamSession({ answer: lead([], notAsked) });
  const terminal = pipes();
  const going = new AbortController();
  const { shown } = show(session, terminal, going.signal);
  await expect.poll(() => terminal.text()).toContain("Describe a task · @ files · / commands · ? keys");
  going.abort();
  await shown;
  expect(terminal.isRaw()).toBe(false);
});

test("Ctrl+C first clears the prompt; shift+tab cycles through the modes", async () => {
  const { session } = await teamSession({ answer: lead([], notAsked) });
  const terminal = pipes();
  const going = new AbortController();
  onTestFinished(() => going.abort());
  const { shown } = show(session, terminal, going.signal);
  await expect.poll(() => terminal.text()).toContain("Describe a task · @ files · / commands · ? keys");
  terminal.type("some words");
  await expect.poll(() => terminal.text()).toContain("❯ some words");
  terminal.type("\x03");
  terminal.type("\x1b[Z");
  await expect.poll(() => terminal.text()).toContain("asks first");
  expect(terminal.text()).not.toContain("Ctrl+C again to leave");
  terminal.type("\x1b[Z");
  await expect.poll(() => terminal.text()).toContain("accepts edits");
  terminal.type("\x1b[Z");
  await expect.poll(() => terminal.text()).toContain("plans only");
  terminal.type("/nothing-of-the-kind\r");
  await expect.poll(() => terminal.text()).toContain("nothing-of-the-kind");
  going.abort();
  await shown;
});

test("Ctrl+O shows the whole transcript on a separate screen, and leaving it restores the first one", async () => {
  const { session } = await teamSession({ answer: lead([{ text: "a fine answer" }, { text: "another" }], notAsked) });
  const terminal = pipes();
  const { shown } = show(session, terminal);
  await expect.poll(() => terminal.text()).toContain("Describe a task · @ files · / commands · ? keys");
  terminal.type("hello\r");
  await expect.poll(() => terminal.text()).toContain("● a fine answer");
  await expect.poll(() => terminal.text()).not.toContain("Esc to interrupt");
  const before = terminal.text();
  terminal.type("\x0f");
  await expect.poll(() => terminal.text()).toContain("Transcript of lead · 100%");
  expect(terminal.isOther()).toBe(true);
  // Events from that time are shown afterwards.
  await session.dispatch({ type: "prompt", content: "more" });
  await expect.poll(() => terminal.text()).toContain("● another");
  terminal.type("q");
  await expect.poll(() => terminal.isOther()).toBe(false);
  await expect.poll(() => terminal.text()).toMatch(/❯ more\n\n● another\n/);
  expect(terminal.text().startsWith(before.slice(0, before.indexOf("──")))).toBe(true);
  terminal.type("\x0f");
  await expect.poll(() => terminal.isOther()).toBe(true);
  terminal.type("\x0f\x04");
  expect(await shown).toBe(0);
  expect(terminal.isOther()).toBe(false);
});
