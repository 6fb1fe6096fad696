import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSoak } from "../../support/setup/soak-rounds.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = `
const bash = (command) => ({ tool: "Bash", input: { command } });
const agent = (input) => ({ tool: "Agent", input: { description: "look around", ...input } });
const hang = { text: "x", fault: { kind: "hang" } };
export default (ask) => {
  const said = ask.said.replace(/<\\/?teammate-message[^>]*>/g, "").trim().split("\\n").at(-1);
  if (ask.agent === "lead") {
    const [, what, name] = /^(run|write|team|plan|wait)(?: (.+))?$/.exec(said) ?? [];
    if (ask.results.length > 0) return { text: "done with " + said + ": " + ask.result.text.slice(0, 60) };
    if (what === "run") return { calls: [bash("touch " + name)] };
    if (what === "write") return { calls: [{ tool: "Write", input: { file_path: name, content: "one\\ntwo\\n" } }] };
    if (what === "wait") return { calls: [agent({ prompt: "stay" })] };
    if (what === "plan") return { calls: [{ tool: "TaskCreate", input: { subject: "fix the parser", description: "d" } }, { tool: "TaskCreate", input: { subject: "test the parser", description: "d" } }] };
    if (what === "team") return { calls: ["ada", "ben", "cyd"].map((each) => agent({ name: each, prompt: each === "ada" ? "stay" : each === "cyd" ? "write shared.txt" : "greet" })) };
    return { text: "heard: " + said };
  }
  if (said === "stay") return hang;
  if (said.startsWith("write") && ask.results.length === 0) return { calls: [{ tool: "Write", input: { file_path: "shared.txt", content: "hello\\n" } }] };
  return { text: ask.agent + " has heard: " + said };
};`;

const flags = ["--model", "scripted/s.mjs", "--settings", "settings.json"];

function place(): Workplace {
  const made = workplace();
  made.write("s.mjs", script);
  made.write("settings.json", { teams: { backend: "in-process" } });
  return made;
}

const isThere = (at: Workplace, name: string) => existsSync(join(at.cwd, name));

test.each(isSoak ? [40, 80, 200] : [40, 200])("question is answered in each way, in %i columns", async (columns) => {
  const at = place();
  const { see, lose, type, press } = openTerminal(at, flags, { columns, rows: 30 });
  await see("❯");
  const ask = async (words: string) => {
    type(words);
    press("Enter");
    await see("Esc to deny");
  };

  await ask("run once-1");
  await see("$ touch once-1");
  press("1", "Enter");
  await see("done with run once-1");
  expect(isThere(at, "once-1")).toBe(true);

  await ask("run refused");
  press("Escape");
  await see("done with run refused");
  expect(isThere(at, "refused")).toBe(false);

  await ask("run instead");
  press("5", "Enter");
  await see("Enter to send, Esc to go back");
  type("use another name");
  press("Enter");
  await see("done with run instead");
  expect(isThere(at, "instead")).toBe(false);

  await ask("run session-1");
  press("2", "Enter");
  await see("done with run session-1");
  type("run session-2");
  press("Enter");
  await see("done with run session-2");
  expect(isThere(at, "session-2")).toBe(true);

  await ask("write kept.txt");
  await see("+ one");
  press("3", "Enter");
  await see("Tab to allow this from now on");
  press("Tab");
  await see("done with write kept.txt");
  expect(readFileSync(join(at.cwd, "kept.txt"), "utf8")).toBe("one\ntwo\n");

  type("/permissions");
  press("Enter");
  await see("kept.txt)");
  press("Escape");
  await lose("Permission mode");
  type("/exit");
  press("Enter");
});

test("three teammates: view each, write to one, interrupt one, dismiss one, answer for all", async () => {
  const at = place();
  const { see, lose, type, press, screen } = openTerminal(at, ["--team", "alpha", ...flags], { rows: 40 });
  await see("❯");
  type("team");
  press("Enter");
  await see("cyd@alpha");
  await see("all of alpha may without asking");
  await see("Esc to deny");
  press("6", "Enter");
  await see("Tab to allow this from now on");
  press("Tab");
  await see(/ada .*model/);
  await see("ben idle");
  await see("cyd idle");
  expect(isThere(at, "shared.txt")).toBe(true);

  press("S-Down");
  await see("❯ ├─ ada");
  press("Enter");
  await see("── to ada");
  press("S-Down", "Enter");
  await see("── to ben");
  await see("ben@alpha has heard: greet");
  press("S-Down", "Enter");
  await see("── to cyd");
  type("thank you");
  press("Enter");
  await see("cyd@alpha has heard: thank you");
  await see("cyd idle"); // before that, Escape interrupts it
  press("Escape");
  await lose("── to cyd");

  press("S-Down");
  await see("❯ ├─ ada");
  press("Escape");
  await see("ada idle");
  press("x");
  await see("ada stopped");
  press("x");
  await lose("ada stopped");
  expect(screen()).toContain("ben idle");

  press("C-c");
  await see("press Ctrl+C again to leave");
  press("C-c");
});

test("foreground agent moves to the background, is viewed and stopped there; quitting asks", async () => {
  const { see, lose, type, press, ended } = openTerminal(place(), flags);
  await see("❯");
  type("wait");
  press("Enter");
  await see(/└─ .*model/);
  press("C-b");
  await see("done with wait");
  press("C-b");
  await see("In the background");
  await see("look around · runs");
  press("Escape");
  await lose("In the background");
  press("C-c", "C-c");
  await see("Leave? 1 still running");
  press("n");
  await lose("Leave?");
  press("C-b");
  await see("look around · runs");
  press("x");
  await see("look around · stopped");
  press("Escape");
  await lose("In the background");
  type("/exit");
  press("Enter");
  expect(await ended()).toBe(0);
});

test("task list and help", async () => {
  const { see, lose, type, press } = openTerminal(place(), ["--allowed-tools", "TaskCreate", ...flags]);
  await see("❯");
  type("plan");
  press("Enter");
  await see("done with plan");
  await see("☐ #2 test the parser");
  press("C-t");
  await lose("☐ #2");
  type("/help");
  press("Enter");
  await see("/background");
  press("End");
  await see("stop everything and leave");
  press("q");
  await see("❯");
  type("/nonsense");
  press("Enter");
  await see("there is no command /nonsense");
});

test("earlier session is resumed, and a new one is started", async () => {
  const { see, lose, type, press } = openTerminal(place(), flags);
  await see("❯");
  type("good morning");
  press("Enter");
  await see("heard: good morning");
  type("/clear");
  press("Enter");
  await see("Describe a task ·");
  type("/resume");
  press("Enter");
  await see("Resume a session");
  // The list is read after the title is drawn.
  await see(/│ ❯ just now +good morning/);
  press("Enter");
  await lose("Resume a session");
  await lose("Describe a task ·");
  await see("heard: good morning");
});

test("new user without a model reads what to do", async () => {
  const { scrollback, ended } = openTerminal(place(), []);
  expect(await ended()).toBe(2);
  for (const words of ["Welcome to Troupe", "ANTHROPIC_API_KEY", "troupe demo"]) expect(scrollback()).toContain(words);
});
