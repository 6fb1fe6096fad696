import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

/** One teammate for each file. Each edits and commits in its worktree; the lead lands what the reports name. */
const script = `
const call = (tool, input) => ({ tool, input });
const fix = (name) => call("Agent", { description: "fix " + name, prompt: "Fix " + name + ".js", name, isolation: "worktree" });
const done = new Set();
export default (ask) => {
  if (ask.agent === "lead") {
    if (ask.turn === 1) return { calls: [fix("add"), fix("sub")] };
    if (ask.result?.tool === "Land") return { text: ask.result.text };
    for (const [, branch] of ask.said.matchAll(/branch (troupe\\/\\w+-\\w{4}): 1 commit that main does not have/g)) done.add(branch);
    return done.size === 2 ? { calls: [call("Land", { branches: [...done].sort() })] } : { text: "I wait." };
  }
  const name = ask.agent.split("@")[0];
  const wrong = name === "add" ? "a - b" : "a + b";
  const right = name === "add" ? "a + b" : "a - b";
  return [
    { calls: [call("Read", { file_path: name + ".js" })] },
    { calls: [call("Edit", { file_path: name + ".js", old_string: wrong, new_string: right })] },
    { calls: [call("Bash", { command: "git add " + name + ".js" })] },
    { calls: [call("Bash", { command: "git commit -m 'fix " + name + "'" })] },
  ][ask.turn - 1] ?? { text: "fixed" };
};`;

test("the README's first team works as printed, up to the landing", async () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../../README.md"), "utf8");
  const [, prompt = "", line = ""] = /^troupe -p "([^"]+)" \\\n +(.*)$/m.exec(readme) ?? [];
  const flags = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  expect(flags).toContain("--team");
  const place = workplace();
  const git = (...args: string[]) => execFileSync("git", ["-C", place.cwd, ...args], { encoding: "utf8" }).trim();
  place.write("s.mjs", script);
  place.write("add.js", "export const add = (a, b) => a - b;\n");
  place.write("sub.js", "export const sub = (a, b) => a + b;\n");
  git("init", "-q", "-b", "main");
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.com");
  git("add", ".");
  git("commit", "-qm", "first");
  const run = await place.run(["-p", prompt, ...flags, "--model", "scripted/s.mjs"]);
  expect(run.stderr).toMatch(/^(troupe: waiting for background jobs: .*\n)*$/);
  expect(run.stdout).toMatch(/Landed on main.*:\n- troupe\/add-\w{4}: 1 commit\n- troupe\/sub-\w{4}: 1 commit/);
  expect(git("log", "--format=%s")).toBe("fix sub\nfix add\nfirst");
  expect(readFileSync(join(place.cwd, "add.js"), "utf8")).toContain("a + b");
  const listed = (await place.run(["worktree", "list"])).stdout;
  expect(listed.match(/^troupe\/(add|sub)-\w{4} {2}left, merged into main$/gm)).toHaveLength(2);
  const pruned = (await place.run(["worktree", "prune"])).stdout;
  expect(pruned.match(/^(add|sub)-\w{4}: removed$/gm)).toHaveLength(2);
});
