import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = String.raw`
const cwd = process.cwd();
const call = (tool, input) => ({ tool, input });
export default (ask) => {
  const said = ask.said.trim().split("\n").at(-1);
  const step = ask.results.length;
  if (ask.agent !== "lead") return { text: "Nothing **odd** found." };
  if (ask.said.includes("<task-notification>")) return { text: "noted" };
  if (said === "agents") return step ? { text: "both done" } : { calls: ["look for bugs", "check the tests"].map((description) => call("Agent", { description, prompt: "p" })) };
  if (said === "background") return step ? { text: "it runs" } : { calls: [call("Agent", { description: "read the docs", prompt: "p", run_in_background: true })] };
  if (said === "read") return step ? { text: "all read" } : { calls: [call("Read", { file_path: cwd + "/src/a.ts" }), call("Read", { file_path: cwd + "/src/b.ts" }), call("Grep", { pattern: "one" })] };
  if (said === "write") return step ? { text: "written" } : { calls: [call("Write", { file_path: cwd + "/src/new.ts", content: "x\n" })] };
  if (said === "plan" && step === 0) return { calls: ["Read the parser", "Write tests"].map((subject) => call("TaskCreate", { subject, description: "d" })) };
  if (said === "plan" && step === 2) return { calls: [call("TaskUpdate", { taskId: "1", status: "in_progress" })] };
  return { text: "heard: " + said };
};`;

function place(): Workplace {
  const made = workplace();
  made.write("s.mjs", script);
  mkdirSync(join(made.cwd, "src"));
  made.write("src/a.ts", "one\n");
  made.write("src/b.ts", "two\n");
  return made;
}

const flags = ["--model", "scripted/s.mjs"];

test("agents have their description as a name; reports have no ids and no evidence", async () => {
  const { see, type, press, scrollback } = openTerminal(place(), [...flags, ...bypass], { columns: 100, rows: 50 });
  await see("❯");
  type("agents");
  press("Enter");
  await see("both done");
  await see("✓ Done");
  type("background");
  press("Enter");
  await see("noted");
  const all = scrollback();
  expect(all).toContain("◆ Agent: look for bugs\n  ⎿ Nothing odd found.");
  expect(all).toContain("◆ Agent: read the docs\n  ⎿ works in the background");
  expect(all).toContain("· read the docs · done\n    Nothing **odd** found.");
  expect(all).toMatch(/├─ look for bugs done · \d+s/);
  expect(all).not.toMatch(/agt_|bg_|ses_|really done|notified|general-purpose|<task/);
});

test("refused call says only that; the advice is for the model", async () => {
  const { see, type, press, scrollback } = openTerminal(place(), flags, { columns: 100 });
  await see("❯");
  type("write");
  press("Enter");
  await see("Esc to deny");
  press("Escape");
  await see("written");
  expect(scrollback()).toMatch(/◆ Write src\/new\.ts\n {2}⎿ refused\n/);
  expect(scrollback()).not.toContain("Do not repeat");
});

test("reads are one line, paths are relative, each turn ends with a mark", async () => {
  const { see, type, press, scrollback } = openTerminal(place(), [...flags, ...bypass], { columns: 100 });
  await see("❯");
  type("read");
  press("Enter");
  await see("all read");
  await see(/✓ Done · \d+s · [\d.]+k tokens/);
  expect(scrollback()).toContain("◆ 2 files read, 1 search (ctrl+o)");
  expect(scrollback()).not.toContain("⎿");
  type("write");
  press("Enter");
  await see("◆ Write src/new.ts");
});

test("task calls are one line, and the list shows itself while tasks are open", async () => {
  const { see, lose, type, press, screen } = openTerminal(place(), [...flags, ...bypass], { columns: 100 });
  await see("❯");
  expect(screen()).not.toContain("Tasks ·");
  type("plan");
  press("Enter");
  await see("heard: plan");
  await see("Tasks · 1 active, 1 pending, 0 done");
  expect(screen()).toContain("◆ 2 tasks added, 1 task started (ctrl+o)");
  expect(screen()).not.toContain("TaskCreate");
  press("C-t");
  await lose("Tasks · 1 active");
});
