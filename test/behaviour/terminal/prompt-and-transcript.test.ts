import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { widthOf } from "../../../src/tui/terminal/terminal-width.ts";
import { knownPid } from "../../support/processes/live-processes.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = String.raw`
const long = Array.from({ length: 30 }, (_, index) => "word" + index).join(" ");
const markdown = "# Found\n\n- one **bold** thing\n- " + long + "\n\n| a | b |\n|---|---|\n| 1 | " + long + " |\n\nEnd.";
export default (ask) => {
  const said = ask.said.trimEnd();
  if (said.endsWith("wait")) return ask.results.length ? { text: "waited" } : { calls: [{ tool: "Bash", input: { command: "echo begun; until test -e free; do sleep 0.1; done; echo over" } }] };
  if (said.endsWith("hang")) return { text: "half an answer", chunk: 4, fault: { kind: "hang", after: 2 } };
  if (said.endsWith("hostile")) return ask.results.length ? { text: "\x1b]52;c;aGVsbG8=\x07\x1b[2Jinert \x1b]0;owned\x07 \u202eabc" } : { calls: [{ tool: "Bash", input: { command: "printf 'a\\033[2Jb\\033]0;owned\\007c\\n'" } }] };
  if (said.endsWith("markdown")) return { text: markdown };
  return { text: "heard " + said.length + " characters" };
};`;

const flags = ["--model", "scripted/s.mjs", ...bypass];

function place(): Workplace {
  const made = workplace();
  made.write("s.mjs", script);
  return made;
}

const ready = /❯ Describe a task/;

test.each([40, 80, 200])(
  "prompt and answer in %i columns; nothing is wider; quitting restores the terminal",
  async (columns) => {
    const { see, lose, type, press, scrollback } = openTerminal(place(), flags, { columns, rows: 24 });
    await see(ready);
    type("markdown");
    press("Enter");
    const screen = await see("End.");
    expect(screen).toMatch(/❯ @ files/);
    const all = scrollback();
    expect(all).toContain("❯ markdown");
    expect(all).toContain("● Found");
    expect(all).toContain("• one bold thing");
    for (const line of all.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(all.match(/● Found/g)).toHaveLength(1);
    press("C-c");
    await see("press Ctrl+C again to leave");
    press("C-c");
    await lose("never asks");
    // Printed text stays, redrawn text is gone.
    expect(scrollback()).toContain("End.");
    expect(scrollback()).not.toContain("never asks");
  },
);

test("short pastes are text, long pastes become placeholders", async () => {
  const { see, paste, press, type } = openTerminal(place(), flags);
  await see(ready);
  paste("first\nsecond");
  await see(/❯ first\n {2}second/);
  paste(`\n${"x".repeat(1000)}`);
  await see("[Pasted text #1, 2 lines]");
  type("!");
  press("Enter");
  await see(`heard ${"first\nsecond\n".length + 1001} characters`);
});

test("typed multi-line prompt, history and search", async () => {
  const { see, press, type } = openTerminal(place(), flags);
  await see(ready);
  type("one\\");
  press("Enter");
  type("two");
  await see(/❯ one\n {2}two/);
  press("Enter");
  await see("heard 7 characters");
  type("three");
  press("Enter");
  await see("heard 5 characters");
  press("Up", "Up");
  await see(/─\n❯ one\n {2}two/);
  press("Escape", "Escape");
  await see(/─\n❯ @ files/);
  press("C-r");
  type("thr");
  await see(/search: thr/);
  await see(/─\n❯ three\n/);
});

test("resize during a call redraws cleanly, and later output appears once", async () => {
  const at = place();
  const { see, press, type, resize, screen, scrollback } = openTerminal(at, flags, { columns: 100, rows: 30 });
  await see(ready);
  type("wait");
  press("Enter");
  await see("⎿ begun");
  for (const columns of [40, 120, 60]) {
    resize(columns, 24);
    await see(new RegExp(`^─{${columns - 1}}$`, "m"));
    await see(/\(\d+s/);
    // One prompt between its two rules and one status line: nothing of an earlier width is left.
    await expect.poll(() => screen().match(/^─+$/gm)?.length).toBe(2);
    await expect.poll(() => screen().match(/never asks/g)?.length).toBe(1);
  }
  at.write("free", "");
  await see("● waited");
  // A capture in the middle of a redraw shows a part of the screen.
  await expect.poll(() => scrollback().match(/● waited/g)?.length).toBe(1);
});

test("Esc interrupts, and the partial answer does not count as an answer", async () => {
  const { see, press, type } = openTerminal(place(), flags);
  await see(ready);
  type("hang");
  press("Enter");
  await see("● half an\n");
  press("Escape");
  await see("Interrupted");
  type("go on");
  press("Enter");
  await see(/heard \d+ characters/);
});

test("Ctrl+Z returns to the shell, fg restores the screen with all text", async () => {
  const { see, press, type } = openTerminal(place(), flags, { inShell: true });
  await see(ready);
  type("not yet sent");
  await see("❯ not yet sent");
  press("C-z");
  await see("Stopped");
  type("stty -a | grep -c -- ' -icanon'; echo is$((1 + 1))");
  press("Enter");
  // The terminal is in the mode that the shell expects.
  await see(/\n0\nis2/);
  type("fg");
  press("Enter");
  await see("❯ not yet sent");
  press("Enter");
  await see("heard 12 characters");
  press("C-d");
  // Until the shell is back, keys go to the program.
  await see(/^\$ *$/m);
  type("echo code $?");
  press("Enter");
  await see(/^code 0$/m);
});

test("terminated program restores the terminal", async () => {
  const terminal = openTerminal(place(), flags, { inShell: true });
  const { see, type, press } = terminal;
  await see(ready);
  const program = execFileSync("ps", ["-o", "pid=", "--ppid", String(terminal.pid)], { encoding: "utf8" });
  process.kill(knownPid(Number(program)), "SIGTERM");
  await see(/^\$ *$/m);
  type("stty -a | grep -o ' -icanon\\| -echo '; echo looked");
  press("Enter");
  expect(await see(/^looked/m)).not.toMatch(/^ -(?:icanon|echo)/m);
});

test("kill -9 and --continue: the transcript and the prompt history are there", async () => {
  const at = place();
  const first = openTerminal(at, flags);
  await first.see(ready);
  first.type("markdown");
  first.press("Enter");
  await first.see("End.");
  first.type("wait");
  first.press("Enter");
  await first.see("⎿ begun");
  process.kill(first.pid, "SIGKILL");
  await first.ended();
  const { see, press, scrollback } = openTerminal(at, [...flags, "--continue"]);
  await see("the outcome is unknown");
  expect(scrollback()).toContain("● Found");
  press("Up");
  await see(/─\n❯ wait\n/);
});

test("no escape sequence of a model or a program reaches the terminal", async () => {
  const at = place();
  const { see, press, type, title, clipboard } = openTerminal(at, flags);
  await see(ready);
  type("hostile");
  press("Enter");
  await see("inert");
  const screen = await see("⎿ abc");
  expect(screen).toContain("[U+202E]abc");
  expect(title()).not.toContain("owned");
  expect(clipboard()).toBe("");
});

test("screen reader mode prints linear text", async () => {
  const { see, press, type, scrollback } = openTerminal(place(), flags, { env: { TROUPE_SCREEN_READER: "1" } });
  await see(/^> Describe a task/m);
  type("markdown");
  press("Enter");
  await see("Answer: Found");
  await see("End.");
  expect(scrollback()).not.toMatch(/[\u2500-\u257f\u2800-\u28ff●❯◆⎿]/);
});

test("NO_COLOR prints no colours", async () => {
  const { see, press, type, colours } = openTerminal(place(), flags, { env: { NO_COLOR: "1" } });
  await see(ready);
  type("markdown");
  press("Enter");
  await see("End.");
  // oxlint-disable-next-line no-control-regex -- colours are what is looked for
  expect(colours()).not.toMatch(/\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38)[;m]/);
});

test("terminal UI opens also when CI is set", async () => {
  const { see, press, type } = openTerminal(place(), flags, { env: { CI: "1" } });
  await see(ready);
  type("markdown");
  press("Enter");
  await see("End.");
});

test("prompts are stored per project in a file that only the user can read", async () => {
  const at = place();
  const { see, lose, press, type } = openTerminal(at, flags);
  await see(ready);
  type("remember me");
  press("Enter");
  await see("heard 11 characters");
  press("C-d");
  await lose("never asks");
  const projects = join(at.home, ".troupe", "projects");
  const file = join(projects, readdirSync(projects)[0] ?? "", "prompts.jsonl");
  expect(readFileSync(file, "utf8")).toContain('"remember me"');
  expect(statSync(file).mode & 0o077).toBe(0);
});
