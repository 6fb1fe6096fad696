import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = String.raw`
const cwd = process.cwd();
const write = (name) => ({ tool: "Write", input: { file_path: cwd + "/" + name, content: "x\n" } });
let step = -1;
export default (ask) => {
  const said = ask.said.trim().split("\n").at(-1);
  step += 1;
  if (said === "edit" && step === 0) return { calls: [{ tool: "Read", input: { file_path: cwd + "/a.ts" } }] };
  if (said === "edit" && step === 1) return { calls: [{ tool: "Edit", input: { file_path: cwd + "/a.ts", old_string: "const b = 2;", new_string: "const b = 3;" } }] };
  if (said === "edit" && step === 2) return { calls: [write("other.ts")] };
  return { text: "heard: " + said };
};`;

function place(settings: object = {}): Workplace {
  const made = workplace();
  made.write("s.mjs", script);
  made.write("settings.json", settings);
  made.write("a.ts", "const a = 1;\nconst b = 2;\n");
  return made;
}

const flags = ["--model", "scripted/s.mjs", "--settings", "settings.json"];

test("title, bell and notification: waits for an answer, done; one answer accepts all edits", async () => {
  const at = place();
  const { see, type, press, title, record, colours } = openTerminal(at, flags, { columns: 100, rows: 40 });
  await see("❯");
  const written = record();
  type("edit");
  press("Enter");
  await see("Esc to deny");
  expect(colours()).toMatch(/2 .*- ?const b = 2;/);
  await expect.poll(title).toContain("? Troupe");
  await expect.poll(written).toContain("\x1b]777;notify;Troupe;waits for you: an agent wants to change a file\x07");
  press("8", "Enter");
  await see("heard: edit");
  await see("accepts edits");
  expect(readFileSync(join(at.cwd, "other.ts"), "utf8")).toBe("x\n");
  await expect.poll(title).toContain("✓ Troupe");
  await expect.poll(written).toContain("\x07\x1b]9;Troupe: done\x07");
});

test("settings keep the terminal quiet", async () => {
  const { see, type, press, record } = openTerminal(place({ terminal: { notify: "off" } }), flags);
  await see("❯");
  const written = record();
  type("hello");
  press("Enter");
  await see("✓ Done");
  await expect.poll(written).toContain("Done");
  expect(written()).not.toContain("\x07");
  expect(written()).not.toContain("\x1b]");
});

test("empty prompt names its signs, and ? shows the keys", async () => {
  const { see, lose, type, press } = openTerminal(place(), flags, { columns: 100 });
  await see("@ files · / commands · ? keys");
  type("?");
  await see("Help · ");
  press("Escape");
  await lose("Help · ");
  type("why?");
  await see("❯ why?");
});
