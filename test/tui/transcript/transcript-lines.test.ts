import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { paintLines } from "../../../src/tui/terminal/terminal-lines.ts";
import { createTheme } from "../../../src/tui/theme.ts";
import { createHistory } from "../../../src/tui/transcript/transcript-history.ts";
import { itemLines } from "../../../src/tui/transcript/transcript-lines.ts";
import { liveLines } from "../../../src/tui/transcript/transcript-live.ts";
import { leadOf, type TranscriptItem } from "../../../src/view/index.ts";
import { begun, said, stateAfter } from "../../support/view/sample-app-state.ts";
import { callId, opened, prompted, promptId, spawned } from "../../support/view/sample-envelopes.ts";
import { stripVTControlCharacters } from "node:util";

const theme = createTheme({ env: { NO_COLOR: "1" } });
const spoken = createTheme({ env: { NO_COLOR: "1", TROUPE_SCREEN_READER: "1" } });
const size = { columns: 61, rows: 20 };
const head = { seq: 1, at: "2026-01-01T00:00:00.000Z" } as const;

/** Every kind, without its number and time. */
type Item = TranscriptItem extends infer T ? (T extends TranscriptItem ? Omit<T, "seq" | "at"> : never) : never;

const shown = (item: Item, { expanded = false, marks = theme.marks, width = 60 } = {}) =>
  stripVTControlCharacters(
    paintLines(itemLines({ ...head, ...item }, { width, marks, expanded, cwd: "/repo" }).slice(1), theme),
  ).replace(/ +$/gm, "");

const call = (name: string, title: string, settled: object) => ({
  kind: "call" as const,
  turn: 1,
  callId: callId("c1"),
  name,
  input: {},
  title,
  state: "ok" as const,
  progress: "",
  result: { content: [], display: undefined, savedTo: undefined, durationMs: 5 },
  ...settled,
});
const words = (text: string) => [{ type: "text" as const, text }];
const prompt = (source: string, text: string) =>
  ({ kind: "prompt", promptId: promptId(1), source, parts: words(text) }) as Item;
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

test("senders are distinguishable: user, mail, runtime", () => {
  expect(shown(prompt("user", "do it\nnow"))).toBe("❯ do it\n  now");
  const mail =
    '<teammate-message teammate_id="ada" color="green" summary="s">\na &lt;b&gt; &amp;amp;\n</teammate-message>';
  expect(shown(prompt("mail", mail))).toBe("← ada\n  a <b> &");
  const note = "<task-notification>\n<task-id>bg_1</task-id>\n<summary>npm test</summary>\n</task-notification>";
  expect(shown(prompt("background", note))).toBe("· npm test");
  expect(shown(prompt("mail", "no block"))).toBe("← unknown\n  no block");
});

test("results are folded, and unfold completely", () => {
  const output = call("Bash", "$ ls", { result: { content: words(numbered(6)), durationMs: 1 } });
  expect(shown(output)).toBe("◆ $ ls\n  ⎿ … 2 more lines (ctrl+o)\n    line 3\n    line 4\n    line 5\n    line 6");
  expect(shown(output, { expanded: true })).toBe(`◆ $ ls\n  ⎿ ${numbered(6).replaceAll("\n", "\n    ")}`);
  expect(shown(call("Read", "Read a.ts", { result: { content: words(numbered(3)), durationMs: 1 } }))).toBe(
    "◆ Read a.ts\n  ⎿ 3 lines (ctrl+o)",
  );
  expect(shown(call("Write", "Write a", {}))).toBe("◆ Write a\n  ⎿ (nothing)");
});

test("a call that never started shows its subject; a background call shows only that", () => {
  const denied = {
    title: "Bash",
    input: { command: "rm -rf build" },
    state: "denied",
    result: { content: words("no") },
  };
  expect(shown(call("Bash", "Bash", denied))).toBe("◆ $ rm -rf build\n  ⎿ no");
  const edit = { ...denied, input: { file_path: "a.ts", old_string: "x" } };
  expect(shown(call("Edit", "", { ...edit, title: "" }))).toBe("◆ Edit a.ts\n  ⎿ no");
  const started = { input: { run_in_background: true }, result: { content: words(numbered(9)) } };
  expect(shown(call("Bash", "$ sleep 9", started))).toBe("◆ $ sleep 9\n  ⎿ started in the background");
});

test("a change is shown as a diff", () => {
  const patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
  const edit = call("Edit", "Edit x", {
    result: { content: words("ok"), display: { kind: "diff", path: "x", patch } },
  });
  expect(shown(edit)).toBe("◆ Edit x\n  ⎿ 1 added, 1 removed\n    1  a\n    2 -b\n    2 +c");
});

test("failures are shown", () => {
  const failed = call("Bash", "$ x", { state: "failed", result: { content: words("exit code 1: nothing there") } });
  expect(shown(failed)).toBe("◆ $ x\n  ⎿ exit code 1: nothing there");
  expect(shown({ kind: "idle", reason: "interrupted", detail: undefined })).toBe(
    "! Interrupted. What should the agent do instead?",
  );
  expect(shown({ kind: "failure", turn: 1, failure: { kind: "authentication", message: "no key: set one" } })).toBe(
    "✗ no key: set one",
  );
  expect(shown({ kind: "notice", level: "warning", code: "x", message: "careful \x1b[2J" })).toBe("! careful ␛[2J");
});

test("thinking is one line, or complete", () => {
  const thinking = { kind: "thinking", turn: 1, text: "first\nsecond", redacted: false } as const;
  expect(shown(thinking)).toBe("✻ first …");
  expect(shown(thinking, { expanded: true })).toBe("✻ first\n  second");
  expect(shown({ ...thinking, text: "" })).toBe("");
});

test("a screen reader gets words instead of drawings", () => {
  const look = { marks: spoken.marks };
  expect(shown({ kind: "text", turn: 1, text: "- a" }, look)).toBe("Answer: - a");
  expect(shown(call("Bash", "$ ls", {}), look)).toBe("Tool: $ ls\n  Result: (nothing)");
});

const calling = (...ids: string[]): Event => ({
  type: "turn.ended",
  turn: 1,
  parts: ids.map((id) => ({ type: "tool_call", callId: callId(id), name: "Bash", input: {} })),
  stopReason: "tool_use",
  contextTokens: 1,
  durationMs: 1,
});
const called = (id: string): Event => ({
  type: "tool.called",
  turn: 1,
  callId: callId(id),
  name: "Bash",
  input: {},
  title: `$ ${id}`,
});
const settled = (id: string): Event => ({
  type: "tool.settled",
  callId: callId(id),
  durationMs: 1,
  outcome: "ok",
  content: words(`${id} done`),
});
const printed = (history: ReturnType<typeof createHistory>) =>
  stripVTControlCharacters(
    history
      .getBlocks()
      .map(({ text }) => text)
      .join("\n"),
  );

test("final items are printed once and in order; the rest is redrawn", () => {
  const history = createHistory({ theme, size: () => size });
  const start = [opened(), spawned(), ...prompted(1, "go"), begun(), calling("a", "b"), called("a"), called("b")];
  const half = stateAfter([...start, settled("b")]);
  history.sync(half);
  expect(printed(history)).toContain("❯ go");
  expect(printed(history)).not.toContain("$ a");
  const lead = leadOf(half.session);
  const live = lead
    ? paintLines(
        liveLines(lead, history.printed(), { width: 60, marks: theme.marks, cwd: "", expanded: false, height: 10 }),
        theme,
      )
    : "";
  expect(stripVTControlCharacters(live)).toContain("◆ $ a\n");
  expect(live).toContain("b done");
  history.drawn(history.getBlocks().length);
  history.sync(stateAfter([...start, settled("b"), settled("a"), said(2, "all done")]));
  expect(printed(history).match(/\$ a|\$ b|all done|❯ go/g)).toEqual(["$ a", "$ b", "all done"]);
  history.sync(stateAfter([...start, settled("b"), settled("a"), said(2, "all done")]));
  expect(history.getBlocks()).toHaveLength(2);
});

test("of a long transcript the end is printed, with a note that there is more", () => {
  const history = createHistory({ theme, size: () => size });
  const turns = Array.from({ length: 200 }, (_, index) => said(index + 1, `answer ${index + 1}`));
  history.sync(stateAfter([opened(), spawned(), ...turns]));
  expect(printed(history)).toContain("… 140 earlier");
  expect(printed(history)).toContain("answer 141\n");
  expect(printed(history)).not.toContain("answer 140\n");
  expect(printed(history)).toContain("answer 200");
});

test("the live part never exceeds its height", () => {
  const state = stateAfter([
    opened(),
    spawned(),
    begun(),
    { type: "text.delta", turn: 1, text: numbered(100).replaceAll("\n", "\n\n") },
  ]);
  const lead = leadOf(state.session);
  const lines = lead ? liveLines(lead, 0, { width: 60, marks: theme.marks, cwd: "", expanded: false, height: 8 }) : [];
  expect(lines).toHaveLength(8);
  expect(
    lines
      .at(-1)
      ?.map(({ text }) => text)
      .join(""),
  ).toContain("line 100");
});
