import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createPolicy } from "../../../src/session/permissions/permission-policy.ts";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { builtinTools, parseRules, type Tool } from "../../../src/tool/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd });

/** A repository with a worktree beside it, and the policy of an agent that works in the worktree. */
function workplace(permissionMode: PermissionMode = "acceptEdits", { cwd = "main" } = {}) {
  const tree = tempTree({ "main/a.ts": "a", "main/lib/b.ts": "b", "main/.env": "KEY=1", "other/c.ts": "c" });
  const main = tree.path("main");
  const own = tree.path("main.troupe/agent-1");
  git(main, "init", "-q");
  git(main, "add", "a.ts", "lib");
  git(main, "commit", "-qm", "first");
  git(main, "worktree", "add", "-q", own);
  const policy = (roots: readonly string[]) =>
    createPolicy({
      cwd: tree.path(cwd),
      roots,
      permissionMode,
      rules: parseRules({ allow: ["Bash(npm test:*)"] }),
      childEnv: { HOME: tree.root },
      localSettings: tree.path("settings.local.json"),
      currentCwd: () => roots[0] ?? main,
      ownFolders: () => [],
      sandbox: () => undefined,
    });
  const decide = (name: string, input: unknown, roots = [own]) => {
    const tool = builtinTools().find((each) => each.name === name) as Tool;
    return policy(roots).decide(tool, input);
  };
  return { tree, main, own, decide };
}

test("an agent in a worktree reads the main checkout without permission, except secrets", async () => {
  const { main, decide } = workplace("default");
  const behavior = async (...call: Parameters<typeof decide>) => (await decide(...call)).behavior;
  expect(await behavior("Read", { file_path: join(main, "a.ts") })).toBe("allow");
  expect(await behavior("Grep", { pattern: "a", path: join(main, "lib") })).toBe("allow");
  expect(await behavior("Bash", { command: `diff ${main}/a.ts a.ts` })).toBe("allow");
  expect(await behavior("Read", { file_path: join(main, ".env") })).toBe("ask");
  expect(await behavior("Bash", { command: `cat ${main}/.env` })).toBe("ask");
  expect(await behavior("Read", { file_path: join(dirname(main), "other/c.ts") })).toBe("ask");
});

test("an agent in a worktree neither changes the main checkout nor runs anything in it", async () => {
  const { main, decide } = workplace();
  for (const [name, input] of [
    ["Edit", { file_path: join(main, "a.ts"), old_string: "a", new_string: "b" }],
    ["Write", { file_path: join(main, "new.ts"), content: "" }],
    ["Bash", { command: `cd ${main} && npm test` }],
    ["Bash", { command: `cd ${main} && git log` }],
    ["Bash", { command: `echo x > ${main}/a.ts` }],
  ] as const)
    expect([input, (await decide(name, input)).behavior]).toEqual([input, "ask"]);
});

test("a refused change of the main checkout names the agent's copy", async () => {
  const { main, own, decide } = workplace();
  const decision = await decide("Write", { file_path: join(main, "lib/b.ts"), content: "" });
  expect(decision).toMatchObject({ refusal: { hints: [{ kind: "copy", path: join(own, "lib/b.ts") }] } });
});

test("a read in the main checkout names the agent's copy, if there is one", async () => {
  const { main, own, decide } = workplace();
  const copyOf = async (path: string) => {
    const decision = await decide("Read", { file_path: path });
    return decision.behavior === "allow" ? (decision.copy ?? "none") : decision.behavior;
  };
  writeFileSync(join(main, "new.ts"), "n");
  expect(await copyOf(join(main, "lib/b.ts"))).toBe(join(own, "lib/b.ts"));
  expect(await copyOf(join(main, "new.ts"))).toBe("none");
  expect(await copyOf(join(own, "a.ts"))).toBe("none");
});

test("a session in a part of the repository opens only that part", async () => {
  const { main, own, decide } = workplace("acceptEdits", { cwd: "main/lib" });
  expect((await decide("Read", { file_path: join(main, "lib/b.ts") })).behavior).toBe("allow");
  expect((await decide("Read", { file_path: join(main, "a.ts") })).behavior).toBe("ask");
  const write = await decide("Write", { file_path: join(main, "lib/b.ts"), content: "" });
  expect(write).toMatchObject({ refusal: { hints: [{ path: join(own, "lib/b.ts") }] } });
});

test("a .git file of a working folder opens no other repository", async () => {
  const { tree, main, decide } = workplace("default", { cwd: "other" });
  const forged = tree.path("other/forged");
  mkdirSync(forged);
  writeFileSync(join(forged, ".git"), `gitdir: ${main}/.git/worktrees/agent-1\n`);
  expect((await decide("Read", { file_path: join(main, "a.ts") }, [forged])).behavior).toBe("ask");
  expect((await decide("Read", { file_path: join(main, "a.ts") }, [tree.path("other")])).behavior).toBe("ask");
});
