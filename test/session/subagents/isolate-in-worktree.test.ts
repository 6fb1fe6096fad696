import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { agrees, alpha, inState, leading, mate, membersOf } from "../../support/team/scripted-team.ts";
import { agent, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";

const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
const withHooks = (tree: TempTree, hooks: object) => tree.write("home/.troupe/settings.json", { hooks });

function gitTree(): TempTree {
  const tree = tempTree({ "project/a.txt": "a\n", "home/x": "" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", tree.path("project"), "-c", "user.name=T", "-c", "user.email=t@example.com", ...args]);
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "first");
  return tree;
}

const bash = (command: string) => ({ calls: [{ tool: "Bash", input: { command } }] });
const started = (tree: TempTree, command = "pwd", more: object = {}) =>
  teamSession({
    tree,
    ...more,
    answer: lead([{ calls: [agent("work", { isolation: "worktree", name: "w" })] }, { text: "over" }], (ask) =>
      ask.turn === 1 ? bash(command) : { text: `result: ${ask.result?.text}` },
    ),
  });

test("a WorktreeCreate hook makes the worktree: the agent works there, and it is kept even if empty", async () => {
  const tree = gitTree();
  const making = `cat > "${tree.root}/asked.json"; git worktree add -b mine "${tree.root}/made"; echo "${tree.root}/made"`;
  withHooks(tree, { WorktreeCreate: hook(making), WorktreeRemove: hook(`touch ${tree.root}/removed`) });
  const team = await started(tree);
  await team.ask("go");
  expect(resultOf(team).text).toContain(`result: ${tree.path("made")}`);
  expect(resultOf(team).text).toContain(`Its work is on the branch mine, in ${tree.path("made")}.`);
  expect(team.all("agent.spawned", "lead/w")[0]).toMatchObject({
    cwd: tree.path("made"),
    worktree: { path: tree.path("made"), branch: "mine", hookMade: true },
  });
  expect(existsSync(tree.path("made/a.txt"))).toBe(true);
  expect(existsSync(tree.path("project.troupe"))).toBe(false);
  expect(existsSync(tree.path("removed"))).toBe(false);
  const asked = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(tree.path("asked.json"), "utf8")));
  const base = execFileSync("git", ["-C", tree.path("project"), "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  expect(asked).toMatchObject({
    hook_event_name: "WorktreeCreate",
    name: expect.stringMatching(/^w-.{4}$/) as string,
    base,
    repository: tree.path("project"),
    cwd: tree.path("project"),
  });
});

test("outside a git repository a hook may make the copy", async () => {
  const tree = tempTree({ "project/a.txt": "a", "home/x": "" });
  withHooks(tree, { WorktreeCreate: hook(`cp -r . ${tree.root}/copy; echo ${tree.root}/copy`) });
  const team = await started(tree, "echo b > b.txt; pwd");
  await team.ask("go");
  expect(resultOf(team).text).toContain(`Its work is in ${tree.path("copy")}.`);
  expect(readdirSync(tree.path("copy")).toSorted()).toEqual(["a.txt", "b.txt"]);
  expect(readdirSync(tree.path("project"))).toEqual(["a.txt"]);
});

test("the hook may answer with JSON", async () => {
  const tree = gitTree();
  mkdirSync(tree.path("there"));
  const said = JSON.stringify({
    hookSpecificOutput: { hookEventName: "WorktreeCreate", worktreePath: tree.path("there") },
  });
  withHooks(tree, { WorktreeCreate: hook(`echo '${said}'`) });
  const team = await started(tree);
  await team.ask("go");
  expect(resultOf(team).text).toContain(`result: ${tree.path("there")}`);
});

test.each([
  ["says no", "echo 'no room on this disk' >&2; exit 2", /The WorktreeCreate hook refused: no room on this disk/],
  [
    "fails",
    "echo 'it broke' >&2; exit 1",
    /The WorktreeCreate hook refused: The hook failed \(exit code 1: it broke\)/,
  ],
  ["prints nothing", "true", /must print the path of the folder that it created: it printed nothing/],
  ["prints a relative path", "echo there", /"there" is not an absolute path/],
  ["prints a folder that does not exist", "echo /nowhere/at/all", /is not an existing folder/],
  ["prints the project itself", "pwd", /is already used by other agents/],
  ["prints a folder above the project", "dirname $PWD", /is already used by other agents/],
])("a hook that %s refuses the spawn, with its words", async (_, command, words) => {
  const tree = gitTree();
  withHooks(tree, { WorktreeCreate: hook(command) });
  const team = await started(tree);
  await team.ask("go");
  expect(resultOf(team)).toMatchObject({ outcome: "failed", text: expect.stringMatching(words) as string });
  expect(team.asked(/^lead\//)).toEqual([]);
  expect(existsSync(tree.path("project.troupe"))).toBe(false);
});

test("only the first hook of the strongest source makes a worktree", async () => {
  const tree = gitTree();
  const making = (name: string) => `mkdir ${tree.root}/${name}; echo ${tree.root}/${name}`;
  withHooks(tree, { WorktreeCreate: [...hook(making("one")), ...hook(making("two"))] });
  const team = await started(tree);
  await team.ask("go");
  expect(resultOf(team).text).toContain(`result: ${tree.path("one")}`);
  expect(existsSync(tree.path("two"))).toBe(false);
});

test("an agent in a hook's worktree continues there after the session is resumed", async () => {
  const tree = gitTree();
  withHooks(tree, { WorktreeCreate: hook(`git worktree add -b mine ${tree.root}/made; echo ${tree.root}/made`) });
  const first = await started(tree, "echo hi > left.txt", { stored: true });
  await first.ask("go");
  await first.close();
  const speak = { tool: "SendMessage", input: { to: "w", message: "and now?" } };
  const second = await teamSession({
    tree,
    stored: true,
    resume: "latest",
    answer: lead([{ calls: [speak] }, { text: "over" }], (ask) =>
      ask.result?.text.includes("left") ? { text: "seen" } : bash("ls"),
    ),
  });
  await second.ask("go on");
  await second.quiet();
  expect(JSON.stringify(second.all("tool.settled", "lead/w").at(-1)?.content)).toContain("left.txt");
});

test("WorktreeRemove runs only for a removed worktree", async () => {
  const tree = gitTree();
  withHooks(tree, { WorktreeRemove: hook(`cat > ${tree.root}/told.json; exit 1`) });
  const kept = await started(tree, "echo b > b.txt");
  await kept.ask("go");
  expect(existsSync(tree.path("told.json"))).toBe(false);
  const removed = await started(tree);
  await removed.ask("go");
  const spawned = removed.all("agent.spawned", "lead/w")[0];
  expect(JSON.parse(readFileSync(tree.path("told.json"), "utf8"))).toMatchObject({
    hook_event_name: "WorktreeRemove",
    worktree_path: spawned?.worktree?.path,
    branch: spawned?.worktree?.branch,
  });
  expect(existsSync(spawned?.worktree?.path ?? "")).toBe(false);
  expect(resultOf(removed).outcome).toBe("ok");
});

test("a hook's worktree has separate ports like any other", async () => {
  const tree = gitTree();
  withHooks(tree, { WorktreeCreate: hook(`git worktree add -b mine ${tree.root}/made; echo ${tree.root}/made`) });
  const team = await started(tree, 'echo "from $TROUPE_PORT_BASE, $TROUPE_PORTS of them"');
  await team.ask("go");
  expect(resultOf(team).text).toMatch(/result: from \d{5}, 10 of them/);
  expect(readFileSync(tree.path("home/.troupe/worktrees/ports/blocks.json"), "utf8")).not.toContain(tree.path("made"));
});

test.each(["it agrees to end", "it is ended"])("WorktreeRemove runs for a teammate's worktree: %s", async (how) => {
  const tree = gitTree();
  withHooks(tree, { WorktreeRemove: hook(`cat > ${tree.root}/told.json`) });
  const team = await alpha({
    tree,
    answer: leading(
      [{ calls: [mate("scout", "work", { isolation: "worktree" })] }],
      (ask) => agrees(ask) ?? { text: "ready" },
    ),
  });
  await team.ask("go");
  await inState(team, "scout", "idle");
  const now = how === "it is ended";
  expect(await team.command({ type: "member.stop", team: "alpha", name: "scout", now })).toEqual({ ok: true });
  const [member] = await membersOf(tree);
  expect(existsSync(member?.worktreePath ?? "")).toBe(false);
  expect(JSON.parse(readFileSync(tree.path("told.json"), "utf8"))).toMatchObject({
    hook_event_name: "WorktreeRemove",
    worktree_path: member?.worktreePath,
    branch: member?.worktreeBranch,
  });
});
