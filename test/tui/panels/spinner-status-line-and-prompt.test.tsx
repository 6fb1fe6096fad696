import { afterEach, expect, test } from "vitest";
import { createPrompt } from "../../../src/tui/prompt/prompt-controller.ts";
import { Prompt } from "../../../src/tui/prompt/prompt.tsx";
import { Spinner } from "../../../src/tui/panels/spinner.tsx";
import { StatusLine } from "../../../src/tui/panels/status-line.tsx";
import { widthOf } from "../../../src/tui/terminal/terminal-width.ts";
import { leadOf } from "../../../src/view/index.ts";
import { useAppState } from "../../../src/tui/app-context.ts";
import { createKeyReader } from "../../../src/tui/terminal/input-keys.ts";
import { begun, joined } from "../../support/view/sample-app-state.ts";
import {
  callId,
  enclose,
  failure,
  opened,
  prompted,
  requestId,
  spawned,
  usage,
} from "../../support/view/sample-envelopes.ts";
import { drawPanel, type Drawn, type DrawOptions } from "../../support/terminal/draw-panel.tsx";

const screens: Drawn[] = [];
afterEach(() => {
  for (const screen of screens.splice(0)) screen.end();
});

type Events = Parameters<typeof enclose>[0];

function draw(part: Parameters<typeof drawPanel>[0], events: Events = [], options: DrawOptions = {}): Drawn {
  const screen = drawPanel(part, { ...options, envelopes: enclose([opened(), spawned(), ...events]) });
  screens.push(screen);
  return screen;
}

const LeadSpinner = () => <Spinner agent={useAppState(({ session }) => leadOf(session))} />;
const running: Events = [...prompted(1, "go"), begun()];
const asked: Events = [
  ...running,
  {
    type: "turn.ended",
    turn: 1,
    parts: [{ type: "tool_call", callId: callId("c1"), name: "Bash", input: {} }],
    stopReason: "tool_use",
    contextTokens: 1,
    durationMs: 1,
  },
  { type: "tool.called", turn: 1, callId: callId("c1"), name: "Bash", input: {}, title: "$ npm test\n&& more" },
];

const activities: readonly (readonly [string, Events, string | RegExp])[] = [
  ["nothing when idle", [], ""],
  ["the model", running, /^. Waiting for the model … \(\d+s · Esc to interrupt\)$/],
  ["thinking", [...running, { type: "thinking.delta", turn: 1, text: "hm" }], /^. Thinking …/],
  ["an answer", [...running, { type: "text.delta", turn: 1, text: "he" }], /^. Writing …/],
  [
    "a call that is being written",
    [...running, { type: "tool.drafted", turn: 1, name: "Edit", inputJson: "{" }],
    /^. Preparing Edit …/,
  ],
  ["a call that runs, by its first line", asked, /^. \$ npm test … \(/],
  [
    "a wait for others",
    [...running, { type: "turn.waiting", turn: 1, reason: "a rate limit" }],
    /^. Waiting: a rate limit/,
  ],
  [
    "another attempt",
    [...running, { type: "turn.retried", turn: 1, attempt: 2, delayMs: 1500, failure }],
    /Trying again in 2 s \(attempt 2\) · the server is busy/,
  ],
  [
    "a question",
    [
      ...asked,
      {
        type: "permission.asked",
        requestId: requestId(1),
        callId: callId("c1"),
        tool: "Bash",
        input: {},
        question: "?",
        suggestions: [],
      },
    ],
    /^. Waiting for your answer/,
  ],
];

test.each(activities)("the spinner shows the activity: %s", (_, events, wanted) => {
  const { frame } = draw(() => <LeadSpinner />, events, { state: (state) => ({ ...state, dialog: { kind: "none" } }) });
  if (wanted === "") expect(frame()).toBe("");
  else expect(frame()).toMatch(wanted);
});

test("in a teammate's pane the spinner says that its lead is asked", () => {
  const question = activities.at(-1)?.[1] ?? [];
  const { frame } = draw(() => <LeadSpinner />, [joined("teammate"), ...question], {});
  expect(frame()).toMatch(/^. Waiting for the lead's answer/);
});

test("the spinner counts tokens since the start of the work, and fits into 40 columns", async () => {
  const { frame, hear, see } = draw(() => <LeadSpinner />, asked, { size: { columns: 40, rows: 20 } });
  expect(widthOf(frame())).toBeLessThan(40);
  const [, , , , , , , cost] = enclose([
    opened(),
    spawned(),
    ...asked,
    { type: "cost.recorded", purpose: "answer", model: "m", usage, costUsd: 1 },
  ]);
  if (cost) hear(cost);
  await see(/\$ npm test/);
});

const Status = () => <StatusLine contextWindow={() => 1000} home="/work" />;
const answered: Events = [
  ...running,
  { type: "cost.recorded", purpose: "answer", model: "scripted/a.json", usage, costUsd: 0.0123 },
  { type: "turn.ended", turn: 1, parts: [], stopReason: "end_turn", contextTokens: 850, durationMs: 1 },
];

test("the status line: mode, model, context, cost, folder; the least important drop out when narrow", () => {
  const at = (columns: number) => draw(() => <Status />, answered, { size: { columns, rows: 20 } }).frame();
  expect(at(80)).toBe("asks first · a.json · 85% context · $0.012 · ~/project     Enter adds your text");
  expect(at(40)).toBe("asks first · a.json · 85% context");
  expect(at(20)).toBe("asks first · a.json");
});

test("the status line says that the lead only delegates", () => {
  const envelopes = enclose([{ ...opened(), coordinator: true } as ReturnType<typeof opened>, spawned()]);
  const screen = drawPanel(() => <Status />, { envelopes });
  screens.push(screen);
  expect(screen.frame()).toMatch(/^asks first · coordinates · a\.json · ~\/project +Shift\+Tab mode$/);
});

test("the status line shows the mode", () => {
  const mode = (permissionMode: "plan" | "acceptEdits" | "bypassPermissions") =>
    draw(() => <Status />, [{ type: "agent.changed", permissionMode }])
      .frame()
      .split(" · ")[0];
  expect([mode("plan"), mode("acceptEdits"), mode("bypassPermissions")]).toEqual([
    "plans only",
    "accepts edits",
    "never asks",
  ]);
});

function prompting(options: DrawOptions = {}, to?: { name: string; color: string | undefined }) {
  const columns = options.size?.columns ?? 40;
  const prompt = createPrompt({
    submit: () => undefined,
    interrupt: () => false,
    slashCommands: () => [{ name: "help", description: "keys and commands" }],
    findFiles: () => Promise.resolve([]),
    hint: () => undefined,
    problem: () => undefined,
    history: { entries: () => Promise.resolve([]), add: () => Promise.resolve() },
    width: () => columns - 4,
    now: () => 0,
  });
  const keys = createKeyReader();
  keys.subscribe((key) => prompt.key(key));
  const drawn = draw(() => <Prompt prompt={prompt} to={to} isActive placeholder="Say what to do" />, [], {
    size: { columns, rows: 24 },
    ...options,
  });
  return { ...drawn, push: keys.push };
}

test("the prompt: empty, with text, with suggestions", async () => {
  const { frame, push, see } = prompting();
  const rule = "─".repeat(39);
  expect(frame()).toBe(`${rule}\n❯ Say what to do\n${rule}`);
  push("hello");
  expect(await see("hello")).toBe(`${rule}\n❯ hello \n${rule}`);
  push("\x15/he");
  expect(await see("/help")).toBe(`${rule}\n❯ /he \n${rule}\n❯ /help  keys and commands`);
});

test("a long text is wrapped, and the rows around the cursor are shown", async () => {
  const { push, see } = prompting({ size: { columns: 40, rows: 12 } });
  push(Array.from({ length: 20 }, (_, index) => `row ${index}`).join("\n"));
  const rows = (await see("row 19")).split("\n").slice(1, -1);
  expect(rows).toHaveLength(4);
  expect(rows.at(-1)).toBe("  row 19 ");
  push("x".repeat(80));
  for (const row of (await see("xxx")).split("\n")) expect(widthOf(row)).toBeLessThan(40);
});

test("pasted text cannot draw", async () => {
  const { push, see } = prompting();
  push("\x1b[200~a\x1b[2Jb\x07\x1b[201~");
  await see("❯ a␛[2Jb␇");
});

test("the recipient is shown unless it is the lead", () => {
  expect(prompting({}, { name: "ada", color: "green" }).frame()).toContain("── to ada ──");
});

test("with a screen reader there are no rules", () => {
  const { frame } = prompting({ env: { NO_COLOR: "1", TROUPE_SCREEN_READER: "1" } });
  expect(frame().trim()).toBe("> Say what to do");
});
