import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bypass, workplace } from "../../support/cli/workplace.ts";

/** The agent looks where it is. In the first life it is then killed; in the second it writes a file there. */
const script = `
const call = (tool, input) => ({ calls: [{ tool, input }] });
const prompt = (ask) => JSON.stringify(ask.request.messages);
export default (ask) => {
  const continues = prompt(ask).includes("write the note");
  if (ask.agent === "lead") {
    if (!prompt(ask).includes("second life"))
      return call("Agent", { description: "look", prompt: "look", subagent_type: "general-purpose", name: "scout", isolation: "worktree" });
    if (!continues) return call("SendMessage", { to: "scout", message: "write the note" });
    return { text: ask.said.includes("task-notification") ? "heard: " + ask.said : "waiting" };
  }
  if (!continues) return ask.turn === 1 ? call("Bash", { command: "pwd" }) : { text: "x", fault: { kind: "hang" } };
  if (ask.result?.input?.command === "pwd > note.txt") return { text: "wrote it, " + (prompt(ask).includes("made again") ? "in a new one" : "as before") };
  return call("Bash", { command: "pwd > note.txt" });
};`;

const flags = ["--model", "scripted/s.mjs", "--output-format", "stream-json", ...bypass];

function repositoryWith(answers: string) {
  const place = workplace();
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", place.cwd, "-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
      encoding: "utf8",
    }).trim();
  place.write("s.mjs", answers);
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "first");
  return { place, git };
}

test("kill -9 with a clean worktree, then --continue: SendMessage continues the agent in the same worktree", async () => {
  const { place, git } = repositoryWith(script);
  const first = place.start(["-p", "first life", ...flags], { input: "" });
  const output = await first.saw(/"tool\.settled"[^\n]*project\.troupe\/scout-\w{4}/);
  first.child.kill("SIGKILL");
  await first.done;
  const name = /project\.troupe\/(scout-\w{4})/.exec(output)?.[1] ?? "";
  const folder = join(`${place.cwd}.troupe`, name);
  expect(git("-C", folder, "status", "--porcelain")).toBe("");

  const second = await place.run(["-p", "second life", "--continue", ...flags]);
  expect(second.stderr).toBe(`troupe: the run ended with open work; not landed: troupe/${name}\n`);
  expect(second.code).toBe(4);
  expect(second.stdout).toContain("wrote it, as before");
  expect(readFileSync(join(folder, "note.txt"), "utf8").trim()).toBe(folder);
  expect(second.stdout).toMatch(
    new RegExp(`branch troupe/${name}: 0 commits that main does not have, 1 uncommitted file \\(note\\.txt\\)`),
  );
  expect(existsSync(join(place.cwd, "note.txt"))).toBe(false);
});

test("kill -9 with uncommitted files, then --continue: the lead reads what is not committed and how to resume", async () => {
  const { place } = repositoryWith(`
const call = (tool, input) => ({ calls: [{ tool, input }] });
export default (ask) => {
  if (ask.agent !== "lead") return ask.turn === 1 ? call("Bash", { command: "echo half > half.txt" }) : { text: "x", fault: { kind: "hang" } };
  const said = JSON.stringify(ask.request.messages);
  if (said.includes("second life")) return { text: "heard: " + said };
  return call("Agent", { description: "work", prompt: "work", subagent_type: "general-purpose", name: "dev", isolation: "worktree" });
};`);
  const first = place.start(["-p", "first life", ...flags], { input: "" });
  await first.saw(/"tool\.settled"/);
  first.child.kill("SIGKILL");
  await first.done;

  const second = await place.run(["-p", "second life", "--continue", "--model", "scripted/s.mjs", ...bypass]);
  expect(second.stderr).toMatch(/^troupe: the run ended with open work; not landed: troupe\/dev-\w{4}\n$/);
  expect(second.stdout).toContain("It was interrupted: SendMessage resumes it");
  expect(second.stdout).toMatch(/0 commits that main does not have, 1 uncommitted file \(half\.txt\)/);
  expect(second.stdout).toContain("Uncommitted files do not land: use SendMessage to have them committed.");
});
