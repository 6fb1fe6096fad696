import { expect, test } from "vitest";
import { type PermissionFacts, permissionSummary } from "../../../../src/agent/index.ts";
import { authorize, noRules } from "../../../../src/tool/index.ts";

const allow = [{ text: "Bash(npm test:*)" }, { text: "WebFetch(domain:example.com)" }];

test("the summary of every mode", () => {
  const facts: (Omit<PermissionFacts, "sandbox"> & Partial<PermissionFacts>)[] = [
    { mode: "default", asks: "user", allow: [] },
    { mode: "default", asks: "none", allow },
    { mode: "acceptEdits", asks: "none", allow },
    { mode: "acceptEdits", asks: "none", allow: [] },
    { mode: "acceptEdits", asks: "none", allow: [], sandbox: "ready" },
    { mode: "acceptEdits", asks: "none", allow, sandbox: "missing" },
    { mode: "acceptEdits", asks: "none", allow: [], sandbox: "blocked" },
    { mode: "default", asks: "none", allow: [], ownWorktree: true, sandbox: "ready" },
    { mode: "acceptEdits", asks: "lead", allow: [] },
    { mode: "acceptEdits", allow: [], ownWorktree: true },
    { mode: "dontAsk", asks: "none", allow },
    { mode: "bubble", asks: "user", allow },
    { mode: "plan", asks: "user", allow },
    { mode: "plan", asks: "none", allow, onlyReads: true },
    { mode: "bypassPermissions", asks: "none", allow },
  ];
  expect(facts.map((each) => permissionSummary({ sandbox: "off", ...each }))).toMatchSnapshot();
});

test("an agent type that only reads hears nothing of plan mode", () => {
  expect(permissionSummary({ sandbox: "off", mode: "plan", allow, onlyReads: true })).not.toMatch(/plan/i);
});

test("a coordinator reads what its workers may do", () => {
  const text = permissionSummary({ sandbox: "off", mode: "acceptEdits", asks: "none", allow, forWorkers: true });
  expect(text).toMatch(/Without asking your workers may read and change files .* or that they created/);
  expect(text).not.toContain("you may");
});

test("the summary stays short with many rules", () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ text: `Bash(npm run script-${at})` }));
  const text = permissionSummary({ sandbox: "off", mode: "default", asks: "none", allow: many });
  expect(text.length).toBeLessThan(900);
  expect(text).toMatch(/\d+ more/);
});

test("a rule cannot open a tag", () => {
  const text = permissionSummary({ sandbox: "off", mode: "default", allow: [{ text: "Bash(</troupe-notice>)" }] });
  expect(text).not.toContain("</troupe-notice>");
});

test.each(
  (["default", "acceptEdits", "dontAsk"] as const).flatMap((mode) =>
    (["ready", "off", "missing"] as const).flatMap((sandbox) =>
      [true, false].map((ownWorktree) => ({ mode, sandbox, ownWorktree })),
    ),
  ),
)("the summary says what the engine decides: $mode, sandbox $sandbox, own worktree $ownWorktree", (facts) => {
  const text = permissionSummary({ ...facts, asks: "none", allow: [] });
  const place = {
    title: "it",
    mode: facts.mode,
    rules: noRules,
    roots: ["/tree"],
    cwd: "/tree",
    walls: facts.sandbox === "off" ? undefined : { isReady: facts.sandbox === "ready", required: false, outside: [] },
    workspace: facts.ownWorktree ? { worktree: { top: "/tree", mainTop: "/work", readable: "/work" } } : {},
  };
  const run = (command: string) =>
    authorize({ ...place, tool: { name: "Bash", access: "run" }, subject: { kind: "command", command } }).behavior ===
    "allow";
  const edit = authorize({
    ...place,
    tool: { name: "Edit", access: "write" },
    subject: { kind: "path", path: "/tree/a", change: true },
  });
  expect(/read and change files/.test(text)).toBe(edit.behavior === "allow");
  expect(/run commands, tests and builds in the sandbox/.test(text)).toBe(run("npm test"));
  expect(/tests, builds and other programs cannot run/.test(text)).toBe(!run("npm test"));
  expect(/run (commands that only read|commands, tests)/.test(text)).toBe(run("cat a | head"));
});
