import { expect, it } from "vitest";
import { authorize, parseRules } from "../../../src/tool/index.ts";

const writeTo = (file: string) => ({
  tool: { name: "Write", access: "write" as const },
  subject: { kind: "path" as const, path: `/work/${file}`, change: true },
  title: "Write it",
  mode: "acceptEdits" as const,
  rules: parseRules({}),
  roots: ["/work"],
  cwd: "/work",
});

it.each([
  "AGENTS.md",
  "sub/CLAUDE.md",
  "GEMINI.md",
  ".npmrc",
  ".yarnrc.yml",
  "bunfig.toml",
  "lefthook.yml",
  ".pre-commit-config.yaml",
  ".github/workflows/ci.yml",
  "node_modules/.bin/tsc",
])("%s is changed only with a yes in mode acceptEdits, unless a rule allows it", (file) => {
  const call = writeTo(file);
  const reason = expect.stringMatching(/obey|run/) as string;
  expect(authorize(call)).toMatchObject({ behavior: "ask", reason });
  expect(authorize({ ...call, rules: parseRules({ allow: ["Edit"] }) }).behavior).toBe("allow");
  const worktree = { top: "/work", mainTop: "/main", readable: "/main" };
  expect(authorize({ ...call, workspace: { worktree } }).behavior).toBe("allow");
});

it.each(["src/a.ts", "docs/agents.md.txt", ".github/dependabot.yml"])("%s is changed without a question", (file) => {
  expect(authorize(writeTo(file)).behavior).toBe("allow");
});
