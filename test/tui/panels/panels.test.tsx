import { stripVTControlCharacters } from "node:util";
import { afterEach, expect, test } from "vitest";
import type { Event, SessionId } from "../../../src/protocol/index.ts";
import { AppKeys } from "../../../src/tui/app-keys.tsx";
import { Dialogs } from "../../../src/tui/dialogs/dialogs.tsx";
import { firstRunScreen } from "../../../src/tui/panels/first-run-screen.ts";
import { ResumePicker } from "../../../src/tui/dialogs/resume-picker.tsx";
import { meantCommand, runSlash } from "../../../src/tui/slash-commands.ts";
import { TaskPanel } from "../../../src/tui/panels/task-panel.tsx";
import { TeammateTree } from "../../../src/tui/panels/teammate-tree.tsx";
import { widthOf } from "../../../src/tui/terminal/terminal-width.ts";
import { Welcome } from "../../../src/tui/panels/welcome.tsx";
import { openDialog } from "../../../src/view/index.ts";
import { sampleTask } from "../../support/team/sample-task.ts";
import {
  backgroundId,
  callId,
  enclose,
  helper,
  lead,
  opened,
  requestId,
  spawned,
} from "../../support/view/sample-envelopes.ts";
import { type DrawOptions, drawPanel, type Drawn, key } from "../../support/terminal/draw-panel.tsx";

const screens: Drawn[] = [];
afterEach(() => {
  for (const screen of screens.splice(0)) screen.end();
});

/** All panels below one another, as on the screen. */
function draw(events: Parameters<typeof enclose>[0], options: DrawOptions = {}): Drawn {
  const envelopes = enclose([opened(), spawned(), ...events]);
  const screen = drawPanel(
    (facts) => (
      <>
        <AppKeys />
        <TeammateTree />
        <TaskPanel />
        <Dialogs facts={facts} />
      </>
    ),
    { ...options, envelopes },
  );
  screens.push(screen);
  return screen;
}

type Member = Extract<Event, { type: "member.changed" }>;

const member = (name: string, changed: Partial<Member> = {}): Member => ({
  type: "member.changed",
  team: "alpha",
  name,
  role: "teammate",
  state: "working",
  since: "2026-01-01T00:00:00.000Z",
  alive: "alive",
  agentType: "general",
  color: "green",
  ...changed,
});

const team: Event[] = [
  member("ada"),
  member("ben", { state: "idle", color: "blue", unread: 2 }),
  member("cyd", { state: "waiting", color: "pink", detail: "writes tests" }),
];

const ended = (name: string) => member(name, { state: "ended", ended: "killed" });

test("the tree shows each agent's activity, and is empty without agents", async () => {
  const { frame, hear } = draw([]);
  expect(frame().trim()).toBe("");
  hear(...enclose([opened(), spawned(), ...team]).slice(2));
  await expect.poll(frame).toContain("cyd");
  expect(frame()).toMatchInlineSnapshot(`
    "  ├─ ada works · 20s
      ├─ ben idle · 2 unread
      └─ cyd waiting for permission · 4s
      Shift+↓ to select an agent"
  `);
});

test("shift with up and down selects, enter views, any other key cancels", async () => {
  const { frame, press, store, see } = draw(team);
  press(key.shiftDown);
  await see("❯ ├─ ada");
  expect(frame()).toContain("Enter view");
  press(key.shiftDown, key.enter);
  expect(store.getState().viewing).toBe("ben@alpha");
  await see(/ben.*in view/);
  press(key.shiftUp);
  expect(store.getState().viewSelectionMode).toBe("selecting-agent");
  press("h");
  expect(store.getState().viewSelectionMode).toBe("viewing-agent");
});

test("escape interrupts the selected working agent; x stops a running one and dismisses an ended one", async () => {
  const { frame, press, sent, hear, see } = draw(team);
  press(key.shiftDown, key.escape);
  await expect.poll(() => sent).toEqual([{ type: "member.interrupt", team: "alpha", name: "ada" }]);
  press("x");
  expect(sent.at(-1)).toEqual({ type: "member.stop", team: "alpha", name: "ada", now: true });
  hear(...enclose([opened(), spawned(), ...team, ended("ada")]).slice(-1));
  await see(/ada stopped/);
  press("x");
  await expect.poll(frame).not.toContain("ada");
});

test("names and texts cannot control the screen", async () => {
  const { raw, see } = draw([member("a\x1b[2Jb", { detail: "\x1b]52;c;aGk=\x07\u202ehi" })]);
  await see("a␛[2Jb");
  expect(raw()).not.toContain("\x1b[2J");
  expect(raw()).not.toContain("\x1b]52");
});

test("more agents than there is room for", async () => {
  const many = Array.from({ length: 30 }, (_, index) => member(`agent-${index}`));
  const { frame, press, see } = draw(many, { size: { columns: 40, rows: 24 } });
  await see("and 21 more");
  for (let index = 0; index < 30; index++) press(key.shiftDown);
  await see("agent-29");
  for (const line of frame().split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(40);
});

const task = (id: number, changed: object = {}): Event => ({
  type: "task.changed",
  task: sampleTask(id, { subject: `task number ${id}`, ...changed }),
});

test("the task list is shown while tasks are open, and toggles with its key: owners and blockers", async () => {
  const { frame, press, see } = draw([
    task(1, { status: "completed", proof: "verified" }),
    task(2, { status: "in_progress", owner: "ada", activeForm: "Fixing the parser" }),
    task(3, { blockedBy: [1, 2] }),
  ]);
  await see("Fixing the parser");
  expect(frame()).toMatchInlineSnapshot(`
    "Tasks · 1 active, 1 pending, 1 done · Ctrl+T to hide
      ◐ #2 Fixing the parser @ada
      ☐ #3 task number 3 · after #2
      ☑ #1 task number 1 · verified"
  `);
  press(key.ctrlT);
  await expect.poll(() => frame().trim()).toBe("");
  press(key.ctrlT);
  await see("Fixing the parser");
});

const shell: Event = {
  type: "background.started",
  backgroundId: backgroundId(1),
  kind: "shell",
  description: "npm run dev",
  outputFile: "/home/out.txt",
};

test("background jobs: view a command's output, stop it, view an agent", async () => {
  const { frame, press, sent, see, store } = draw([
    shell,
    { type: "background.output", backgroundId: backgroundId(1), text: "listening on \x1b[1m3000\n" },
    member("ada"),
  ]);
  press(key.ctrlB);
  await see("In the background");
  expect(frame()).toContain("npm run dev · runs, ");
  press(key.enter);
  await see("listening on ␛[1m3000");
  press(key.escape);
  await see("In the background");
  press("x");
  expect(sent).toEqual([{ type: "background.stop", backgroundId: backgroundId(1) }]);
  press(key.down, key.enter);
  expect(store.getState()).toMatchObject({ viewing: "ada@alpha", dialog: { kind: "none" } });
});

test("ctrl+b moves an agent that the lead waits for to the background", () => {
  const call: Event[] = [
    { type: "turn.started", turn: 1, model: "scripted/a" },
    { type: "tool.called", turn: 1, callId: callId("c1"), name: "Agent", input: {}, title: "Agent look" },
  ];
  const { press, sent } = draw(call);
  press(key.ctrlB);
  expect(sent).toEqual([{ type: "background" }]);
});

test("ctrl+c twice quits; it asks first while agents work", async () => {
  const idle = draw([]);
  idle.press(key.ctrlC);
  expect(idle.store.getState().notices.at(-1)?.text).toBe("press Ctrl+C again to leave");
  idle.press(key.ctrlC);
  expect(idle.left()).toBe(1);

  const busy = draw(team);
  busy.press(key.ctrlC, key.ctrlC);
  await busy.see("Leave? 2 still running");
  busy.press("n");
  expect(busy.store.getState().dialog.kind).toBe("none");
  busy.press(key.ctrlC, key.ctrlC);
  await busy.see("Leave?");
  busy.press("y");
  expect(busy.left()).toBe(1);
});

test("help is generated from the key and command tables", async () => {
  const { frame, see } = draw([], {
    size: { columns: 100, rows: 120 },
    state: (state) => openDialog(state, { kind: "help" }),
  });
  await see(/\/git:commit \[words\] +write a commit/);
  for (const words of ["/agents", "/compact [what to keep]", "Shift+↑"]) expect(frame()).toContain(words);
  expect(frame()).toMatch(/Ctrl\+T +show or hide the task list/);
});

test.each([
  ["agents", "reviewer"],
  ["team", "ada · working"],
  ["model", "haiku"],
  ["cost", "Nothing was spent yet."],
  ["permissions", "allow Bash(git status)"],
  ["mcp", "No servers. Add one with 'troupe mcp"],
  ["hooks", "settings.json is not valid"],
  ["resume", "fix the parser"],
  ["background", "ada"],
  ["help", "Commands"],
])("/%s", async (name, words) => {
  for (const columns of [40, 80, 200]) {
    const screen = draw(team, { size: { columns, rows: 30 } });
    const { store, facts } = screen;
    const face = { store, now: () => 0, leave: () => undefined, send: () => Promise.resolve({ ok: true } as const) };
    expect(runSlash(`/${name}`, { frontend: face, facts })).toBe(true);
    const frame = await screen.see(words);
    for (const line of frame.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    screen.press(key.escape);
    await expect.poll(() => store.getState().dialog.kind).toBe("none");
  }
});

test("commands that need no dialog", async () => {
  const { store, facts, sent, next } = draw([]);
  let left = 0;
  const face = {
    store,
    now: () => 0,
    leave: () => void left++,
    send: (command: (typeof sent)[number]) => {
      (sent as (typeof sent)[number][]).push(command);
      return Promise.resolve({ ok: true } as const);
    },
  };
  const run = (typed: string) => runSlash(typed, { frontend: face, facts });
  expect(run("/compact keep the plan")).toBe(true);
  expect(run("/model haiku")).toBe(true);
  expect(sent).toEqual([
    { type: "compact", instructions: "keep the plan" },
    { type: "set", model: "haiku" },
  ]);
  expect(run("/clear")).toBe(true);
  expect([next(), left]).toEqual([{ kind: "new" }, 1]);
  for (const typed of ["/git:commit now", "/tmp is full", "/nothing", "help"]) expect(run(typed)).toBe(false);
  const meant = ["/modle x", "/git:comit", "/commit", "/tmp/a is full", "/nothing"].map((each) =>
    meantCommand(each, facts),
  );
  expect(meant).toEqual(["model", "git:commit", undefined, undefined, undefined]);
});

test("an earlier session is resumed", async () => {
  const { press, see, left, next } = draw([], { state: (state) => openDialog(state, { kind: "resume" }) });
  await see("fix the parser");
  press(key.enter);
  expect([next(), left()]).toEqual([{ kind: "resume", sessionId: "ses_earlier1" }, 1]);
});

test("sessions are searched by words, and those of other folders are shown on request", async () => {
  const at = (sessionId: string, more: object) => ({
    sessionId: sessionId as SessionId,
    updatedAt: "2025-12-31T22:00:00.000Z",
    cwd: "/work/project",
    folder: "~/project",
    firstPrompt: "look around",
    ...more,
  });
  const sessions = async () => [
    at("ses_tests001", { firstPrompt: "write tests for the parser", turns: 4 }),
    at("ses_named001", { name: "login work" }),
    at("ses_other001", { cwd: "/work/other", folder: "~/other", firstPrompt: "fix the other" }),
  ];
  const screen = drawPanel((facts) => <ResumePicker facts={{ ...facts, sessions }} />, {
    envelopes: enclose([opened(), spawned()]),
  });
  screens.push(screen);
  await screen.see("login work");
  expect(screen.frame()).toMatch(/2 h ago +write tests for the parser +4 turns/);
  expect(screen.frame()).not.toContain("fix the other");
  screen.press("\t");
  await screen.see("fix the other  ~/other");
  for (const letter of "parser q") screen.press(letter);
  await screen.see("no match");
  screen.press("\x7f", "\x7f");
  await screen.see("write tests for the parser");
  expect(screen.frame()).not.toContain("login work");
  screen.press(key.escape);
  await screen.see("login work");
  screen.press(key.down, key.enter);
  expect(screen.next()).toEqual({ kind: "resume", sessionId: "ses_named001" });
});

test("a new user sees hints until the first prompt in the folder", async () => {
  const none = () => Promise.resolve([]);
  const envelopes = enclose([opened(), spawned()]);
  const first = drawPanel((facts) => <Welcome home={undefined} facts={{ ...facts, sessions: none }} room={30} />, {
    envelopes,
  });
  const later = drawPanel((facts) => <Welcome home="/work" facts={facts} room={30} />, { envelopes });
  screens.push(first, later);
  await first.see("Describe what you want done in this folder.");
  expect(later.frame().trim()).toMatch(/^Troupe \S+ · \S+ · ~\/project$/);
});

test.each([40, 80, 0])("without a model: shows what to set, in %i columns", (columns) => {
  const problem = "openai/gpt-4.1 needs OPENAI_API_KEY. Set it.";
  const screen = firstRunScreen({ problem, columns, env: { NO_COLOR: "1" } });
  for (const words of ["openai/gpt-4.1 needs", "export ANTHROPIC_API_KEY=…", "troupe demo"])
    expect(screen).toContain(words);
  for (const line of stripVTControlCharacters(screen).split("\n"))
    expect(widthOf(line)).toBeLessThanOrEqual(columns || 80);
});

test("a screen reader gets no drawings", async () => {
  const { frame, press, see } = draw(
    [
      ...team,
      task(1),
      [helper, spawned("lead/x", lead)],
      {
        type: "permission.asked",
        requestId: requestId(1),
        callId: callId("c1"),
        tool: "Bash",
        input: { command: "ls" },
        question: "Allow ls?",
        suggestions: [],
      },
    ],
    { env: { TROUPE_SCREEN_READER: "1", NO_COLOR: "1" }, state: (state) => ({ ...state, expandedView: "tasks" }) },
  );
  await see("Key and Enter to answer, Esc to deny");
  press(key.down);
  expect(frame()).not.toMatch(/[─-╿]/);
  expect(frame()).toContain("to do: #1 task number 1");
});
