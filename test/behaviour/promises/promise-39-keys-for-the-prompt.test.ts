import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTerminal, type Terminal } from "../../support/terminal/open-terminal.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = `
const write = { tool: "Write", input: { file_path: "notes.txt", content: "one\\nzwei\\n" } };
export default (ask) => {
  const said = ask.said.trim().split("\\n").at(-1);
  if (ask.results.length > 1) return { text: "wrote it" };
  if (ask.results.length === 1) return { calls: [write] };
  if (said === "rewrite") return { calls: [{ tool: "Read", input: { file_path: "notes.txt" } }] };
  return { text: "heard: " + said };
};`;

function place(): Workplace {
  const made = workplace();
  made.write("s.mjs", script);
  writeFileSync(join(made.cwd, "notes.txt"), "one\ntwo, which matters\nthree\n");
  return made;
}

const notes = (at: Workplace) => readFileSync(join(at.cwd, "notes.txt"), "utf8");

/** Types like a person: 11 keys a second. */
async function typeSlowly({ type }: Terminal, text: string): Promise<void> {
  for (const letter of text) {
    type(letter);
    await pass(1_000 / 11);
  }
}

test("promise 39: a sentence typed into an opening question answers nothing and is sent whole", async () => {
  const at = place();
  const terminal = openTerminal(at, ["--model", "scripted/s.mjs"], { columns: 100, rows: 34 });
  const { see, type, press } = terminal;
  await see("❯");
  type("rewrite");
  press("Enter");
  await typeSlowly(terminal, "please also look at the readme, then part 3 of the plan, 1 2 3 4 5");
  await see("Tab to answer · lead wants to write a file");
  await see("❯ please also look at the readme, then part 3 of the plan, 1 2 3 4 5");
  press("Enter");
  await see("waiting: please also look at the readme, then part 3 of the plan, 1 2 3 4 5");
  expect(notes(at)).toContain("which matters");
  await see("Tab to answer");
  // Typing has paused once the screen shows the sent text, so Tab opens the question.
  await expect
    .poll(() => {
      press("Tab");
      return terminal.screen();
    })
    .toContain("Key and Enter to answer");
  await see("-two, which matters");
  await see("-three");
  await see("+zwei");
  press("1");
  await see("❯ 1. Yes");
  expect(notes(at)).toContain("which matters");
  press("Enter");
  await expect.poll(() => notes(at)).toBe("one\nzwei\n");
});

test("promise 39: text over an open question goes to the prompt", async () => {
  const at = place();
  const terminal = openTerminal(at, ["--model", "scripted/s.mjs"], { columns: 100, rows: 34 });
  const { see, type, press } = terminal;
  await see("❯");
  type("rewrite");
  press("Enter");
  await see("Key and Enter to answer");
  await typeSlowly(terminal, "3 things are missing");
  await see("❯ 3 things are missing");
  await see("Tab to answer");
  press("Enter");
  await see("waiting: 3 things are missing");
  expect(notes(at)).toContain("which matters");
});

test("promise 39: digit and Enter meant for the prompt never allow anything for longer than once", async () => {
  const at = place();
  const terminal = openTerminal(at, ["--model", "scripted/s.mjs"], { columns: 100, rows: 34 });
  const { see, type, press } = terminal;
  await see("❯");
  type("rewrite");
  press("Enter");
  await see("Key and Enter to answer");
  await typeSlowly(terminal, "3");
  press("Enter");
  await see("Tab to allow this from now on");
  expect(notes(at)).toContain("which matters");
});
