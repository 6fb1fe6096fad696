import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { createPolicy } from "../../../src/session/permissions/permission-policy.ts";
import { builtinTools, parseRules, type Tool } from "../../../src/tool/index.ts";
import { tempTree } from "../files/temp-tree.ts";

const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
export const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" });

interface Options {
  readonly mode?: PermissionMode;
  readonly rules?: Parameters<typeof parseRules>[0];
  readonly cwd?: string;
}

/** A repository with tracked and other files, a worktree of it, and secrets outside. */
export function fileWorkplace() {
  const tree = tempTree({
    "main/a.js": "a",
    "main/b.js": "b",
    "main/lib/c.js": "c",
    "main/lib/deep/d.js": "d",
    "main/tpl/.husky/pre-commit": "x",
    "main/tpl/e.js": "e",
    "main/nested/.claude/settings.json": "{}",
    "outside/o.txt": "o",
    "home/.ssh/id": "key",
  });
  const main = tree.path("main");
  symlinkSync(tree.path("outside"), join(main, "out"));
  symlinkSync(tree.path("outside/o.txt"), join(main, "o-link"));
  symlinkSync("a.js", join(main, "a-link"));
  git(main, "init", "-q");
  git(main, "add", "-A");
  git(main, "commit", "-qm", "first");
  // These are in neither the index nor the agent's hands.
  writeFileSync(join(main, "notes.txt"), "the user's own");
  writeFileSync(join(main, ".env"), "KEY=1");
  mkdirSync(join(main, "data"));
  writeFileSync(join(main, "data/x.bin"), "x");
  linkSync(tree.path("outside/o.txt"), join(main, "hard.txt"));
  const own = tree.path("main.troupe/agent-1");
  git(main, "worktree", "add", "-q", own);

  const agent = (root: string, { mode = "acceptEdits", rules = {}, cwd = root }: Options = {}) => {
    const policy = createPolicy({
      cwd: main,
      roots: [root],
      permissionMode: mode,
      rules: parseRules(rules),
      childEnv: { HOME: tree.path("home"), PATH: process.env["PATH"] ?? "" },
      localSettings: tree.path("settings.local.json"),
      currentCwd: () => cwd,
      ownFolders: () => [],
      sandbox: () => undefined,
    });
    const toolOf = (name: string) => builtinTools().find((each) => each.name === name) as Tool;
    const decide = (name: string, input: object) => policy.decide(toolOf(name), input);
    return { policy, decide, bash: async (command: string) => (await decide("Bash", { command })).behavior };
  };
  return { tree, main, own, agent };
}
