import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { widthOf } from "../../../src/tui/terminal/terminal-width.ts";
import { knownPid } from "../../support/processes/live-processes.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = String.raw`
const agent = (name) => ({ tool: "Agent", input: { description: "look around", prompt: "stay", name, run_in_background: true } });
const lines = Array.from({ length: 60 }, (_, index) => "line " + (index + 1)).join("\n");
export default (ask) => {
  const said = ask.said.trimEnd().split("\n").at(-1);
  if (ask.agent !== "lead") return ask.results.length ? { text: "x", fault: { kind: "hang" } } : { text: "I look at the many files there are", calls: [{ tool: "Glob", input: { pattern: "*.none" } }] };
  if (said === "many") return ask.results.length ? { text: "They begin." } : { calls: ["ada", "ben", "cyd", "dee", "eve"].map(agent) };
  if (said === "long") return ask.results.length ? { text: "That was long." } : { calls: [{ tool: "Bash", input: { command: "seq -f 'row %g' 300" } }] };
  if (said === "touch") return ask.results.length ? { text: "touched" } : { calls: [{ tool: "Bash", input: { command: "touch a-file-with-a-rather-long-name" } }] };
  if (said === "stream") return { text: lines + "\n\nover", chunk: 12, chunkDelayMs: 3 };
  return { text: "heard " + said };
};`;

const model = ["--model", "scripted/s.mjs"];

function place(): Workplace {
  const made = workplace();
  made.write("s.mjs", script);
  return made;
}

// oxlint-disable-next-line no-control-regex -- these sequences clear the screen or the scrollback
const clears = /\x1b\[(?:2|3)J/;

test("everything fits in a low and narrow terminal, and the screen is never cleared", async () => {
  const terminal = openTerminal(place(), [...model, ...bypass], { columns: 40, rows: 12 });
  const { see, lose, type, press, screen, scrollback, record } = terminal;
  await see(/❯ Describe a task/);
  const written = record();
  // Text may have left such a low screen before the test looks.
  const said = (text: string) => expect.poll(scrollback).toContain(text);
  type("many");
  press("Enter");
  await said("They begin.");
  // The agents start side by side, so any of them can be the first.
  await see(/├─ \w+ waiting for/);
  expect(screen()).toMatch(/^never asks/m);
  press("S-Down");
  await see(/❯ ├─ \w+ waiting for/);
  press("C-t");
  await see(/Tasks ·/);
  type("/");
  await see("/background");
  expect(screen()).toContain("❯ /");
  press("C-u");
  await lose("/background");
  press("C-t");
  type("/help");
  press("Enter");
  await see(/^Help/m);
  expect(screen()).toContain("Esc back");
  press("q");
  await lose("Esc back");
  type("stream");
  press("Enter");
  await said("over");
  const all = scrollback();
  for (const line of all.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(40);
  expect(all.match(/^[● ] line 17$/gm)).toHaveLength(1);
  expect(written()).not.toMatch(clears);
});

test("question in a low and narrow terminal shows its subject and every answer", async () => {
  const terminal = openTerminal(place(), model, { columns: 40, rows: 12 });
  const { see, type, press, screen } = terminal;
  await see(/❯ Describe a task/);
  type("touch");
  press("Enter");
  await see("Esc to deny");
  const first = screen();
  expect(first).toContain("lead wants to run a command");
  expect(first).toContain("$ touch a-file");
  expect(first).toContain("❯ 1. Yes, this once");
  press("3");
  await see(/❯ 3\. Yes, and always/);
  press("Up", "Up");
  await see("❯ 1. Yes, this once");
  press("Enter");
  await see("touched");
});

test("transcript pager shows, searches and follows everything, then restores the screen", async () => {
  const terminal = openTerminal(place(), [...model, ...bypass]);
  const { see, lose, type, press, isOther, screen, scrollback } = terminal;
  await see(/❯ Describe a task/);
  type("long");
  press("Enter");
  await see("That was long.");
  await lose("Esc to interrupt");
  expect(scrollback()).not.toContain("row 170");
  const before = screen();
  press("C-o");
  await see("Transcript of lead · 100%");
  expect(isOther()).toBe(true);
  await see("row 300");
  type("/row 170");
  press("Enter");
  await see(/^ +row 170\n/);
  press("Home");
  await see("❯ long");
  press("q");
  await expect.poll(isOther).toBe(false);
  await expect.poll(screen).toBe(before);
  press("PageUp");
  await see("Transcript of lead");
  press("Escape");
  await lose("Transcript of lead");
  // The program exits while the pager is open.
  press("C-o");
  await see("Transcript of lead");
  process.kill(terminal.pid, "SIGTERM");
  await terminal.ended();
  expect(isOther()).toBe(false);
});

test("uncaught exception restores the terminal and is reported", async () => {
  const at = place();
  at.write("crash.mjs", `process.on("SIGUSR2", () => { throw new Error("a bug in the middle of it"); });`);
  const terminal = openTerminal(at, [...model, ...bypass], {
    inShell: true,
    env: { NODE_OPTIONS: `--import=${at.cwd}/crash.mjs` },
  });
  const { see, type, press, isOther } = terminal;
  await see(/❯ Describe a task/);
  press("C-o");
  await see("Transcript of lead");
  const program = execFileSync("ps", ["-o", "pid=", "--ppid", String(terminal.pid)], { encoding: "utf8" });
  process.kill(knownPid(Number(program)), "SIGUSR2");
  await see("a bug in the middle of it");
  await see(/^\$ *$/m);
  expect(isOther()).toBe(false);
  type("stty -a | grep -o ' -icanon\\| -echo '; echo looked");
  press("Enter");
  expect(await see(/^looked/m)).not.toMatch(/^ -(?:icanon|echo)/m);
});
