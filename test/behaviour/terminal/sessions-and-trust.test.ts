import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const flags = ["--model", "scripted/s.mjs"];

function place(): Workplace {
  const made = workplace();
  made.write("s.mjs", 'export default (ask) => ({ text: "heard: " + ask.said.trim() });');
  return made;
}

const logsOf = ({ home }: Workplace): string[] =>
  readdirSync(join(home, ".troupe", "projects"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /\/ses_\w+\.jsonl$/.test(name),
  );

test("a session is named, left with its resume command, and found again by -r, search and name", async () => {
  const at = place();
  const first = openTerminal(at, flags);
  await first.see("? keys");
  first.type("look at the parser");
  first.press("Enter");
  await first.see("heard: look at the parser");
  first.type("/rename parser work");
  first.press("Enter");
  await first.see("Session: parser work");
  first.press("C-d");
  expect(await first.ended()).toBe(0);
  expect(first.screen()).toContain('Resume this session with: troupe --resume "parser work"');

  const empty = openTerminal(at, [...flags, "-r"]);
  await empty.see("Resume a session of this folder");
  await empty.see(/just now +parser work +1 turn/);
  empty.type("pars");
  await empty.see("Search: pars");
  empty.press("Enter");
  await empty.see("heard: look at the parser");
  empty.press("C-d");
  expect(await empty.ended()).toBe(0);
  // The session in which the list was shown is removed.
  expect(logsOf(at)).toHaveLength(1);

  const { stdout } = await at.run([...flags, "-p", "again", "--resume", "Parser Work"]);
  expect(stdout).toBe("heard: again\n");
  expect((await at.run(["sessions"])).stdout).toContain("parser work");
  expect((await at.run([...flags, "-p", "x", "-r"])).stderr).toContain("--resume needs the id or name");
});

test("the first start asks about trust; a yes applies at once and the prompt is sent after it", async () => {
  const at = place();
  at.write(".claude/settings.json", { permissions: { allow: ["Bash(npm test)"] } });
  const { see, press, screen, ended } = openTerminal(at, [...flags, "hello there"]);
  await see("Do you trust this folder?");
  await see("Key and Enter to answer");
  expect(screen()).toContain('["Bash(npm test)"]');
  expect(screen()).not.toContain("heard");
  press("1", "Enter");
  await see("heard: hello there");
  press("C-d");
  expect(await ended()).toBe(0);
  expect((await at.run(["trust", "--list"])).stdout).toContain(at.cwd);
  expect(logsOf(at)).toHaveLength(1);
});

test("a no is remembered until the folder requests something new, and /trust asks again", async () => {
  const at = place();
  at.write(".claude/settings.json", { permissions: { allow: ["Bash(npm test)"] } });
  const first = openTerminal(at, flags);
  await first.see("Key and Enter to answer");
  first.press("Escape");
  await first.see("Describe what you want done in this folder.");
  first.press("C-d");
  expect(await first.ended()).toBe(0);

  const second = openTerminal(at, flags);
  await second.see("Describe what you want done in this folder.");
  second.type("/trust");
  second.press("Enter");
  await second.see("Do you trust this folder?");
  second.press("C-c", "C-c");
  await second.ended();

  at.write(".claude/settings.json", { permissions: { allow: ["Bash(npm test)", "Bash(make)"] } });
  const third = openTerminal(at, flags);
  await third.see("Do you trust this folder?");
  third.press("C-c", "C-c");
  await third.ended();
  expect((await at.run(["trust", "--list"])).stdout).toContain("no folder is trusted");
});
