import { describe, expect, test } from "vitest";
import { type DeniedAgent, deniedByTimeout, deniedCall } from "../../../../src/agent/fragments/calls/denied-call.ts";
import { authorize, parseRules } from "../../../../src/tool/index.ts";
import { judge, type JudgeOptions } from "../../../support/shell/judge-command.ts";

const lead: DeniedAgent = {
  tools: ["Bash", "Read", "Edit", "Write", "Glob", "Grep"],
  plan: "planner",
  type: "lead",
};
const reviewer: DeniedAgent = { tools: ["Bash", "Read", "Grep"], plan: "reader", type: "reviewer" };
const teammate: DeniedAgent = { ...reviewer, lead: "team-lead" };

interface Refused extends JudgeOptions {
  readonly agent?: DeniedAgent;
  readonly because?: string;
}

/** The text that the agent reads when this command line is refused and no user is available. */
function refused(command: string, { agent = lead, because, ...options }: Refused = {}): string {
  const decision = judge(command, options);
  if (decision.behavior === "allow") throw new Error(`${command} is allowed by ${decision.rule}`);
  return deniedCall({ verb: "run", title: `$ ${command}`, decision, agent, because });
}

/** The same for a file tool. */
function refusedFile(name: "Read" | "Edit", path: string, mode: JudgeOptions["mode"] = "default"): string {
  const change = name === "Edit";
  const decision = authorize({
    tool: { name, access: change ? "write" : "read" },
    subject: { kind: "path", path, change },
    title: `${name} ${path}`,
    mode,
    rules: parseRules({}),
    roots: ["/work"],
    cwd: "/work",
  });
  if (decision.behavior === "allow") throw new Error(`${path} is allowed by ${decision.rule}`);
  return deniedCall({ verb: change ? "changed" : "read", title: `${name} ${path}`, decision, agent: lead });
}

const npmTest = { rules: { allow: ["Bash(npm test:*)"] } };

describe("a refusal for want of a user", () => {
  test("names the refused part, the reason, the rest of the line and how the user can allow it", () => {
    expect(refused(`npm test 2>&1 | tail -15; node -e "1 + 1"`, npmTest)).toMatchInlineSnapshot(
      `"Not run: \`node -e "1 + 1"\` needs permission (node runs any code it is given), and no user is available to give it. The rest of the line is allowed: run it by itself. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Bash(node:*)" (any code for node) or an answer in an interactive session."`,
    );
  });

  test.each([
    ["node -e 'f(\"it'\\''s\")'", "node"],
    ["timeout 5 python3 -c 'print(1)'", "python3"],
    ["node --eval=1", "node"],
    ["bash -lc 'make all'", "bash"],
    ["python3 - <<'EOF'\nprint(1)\nEOF", "python3"],
  ])("proposes no rule for the code in %s", (line, program) => {
    expect(refused(line)).toContain(
      `If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Bash(${program}:*)" (any code for ${program}) or an answer in an interactive session.`,
    );
    expect(judge(line, { rules: { allow: [`Bash(${program}:*)`] } }).behavior).toBe("allow");
  });

  test("proposes a rule for a script in a file, and none for several programs with code", () => {
    expect(refused("node -r ./a.js b.js")).toContain('--allowedTools "Bash(node -r ./a.js b.js)"');
    expect(refused("node -e 1 && make")).toMatch(/the user can allow it with an answer in an interactive session\.$/);
  });

  test("does not name the rest when nothing else of the line is allowed", () => {
    expect(refused("npm install; make", npmTest)).not.toContain("rest of the line");
    expect(refused("cd src && echo next && make")).not.toContain("rest of the line");
  });

  test("does not name the rest when it only reads the output of the refused command", () => {
    expect(refused("npm test 2>&1 | tail -5")).not.toContain("The rest of the line");
    expect(refused("ls; npm test | tail -5")).toContain("The rest of the line is allowed");
  });

  test("does not forbid another way, and does not propose all of Bash", () => {
    for (const line of ["npm test", "npm test && ls", "node -e 1", "git push origin main", "curl example.com"]) {
      expect(refused(line)).not.toContain("another way");
      expect(refused(line)).not.toMatch(/--allowedTools "?Bash(?!\()/);
      expect(refused(line)).toContain("--allowedTools");
    }
  });

  test.each([
    ["npm test", undefined],
    ["npm test; ls ../..", npmTest],
    ["find . -name *.ts", undefined],
    ["for f in src/*; do head $f; done", undefined],
    ["cat .env", undefined],
    [`echo "unterminated`, undefined],
    ["git push origin main", { rules: { ask: ["Bash(git push:*)"] } }],
    [`python3 - <<'EOF'\nprint(1)\nEOF`, undefined],
    [`git commit -m "it's a \\"quote\\""`, undefined],
  ] as const)("%s", (line, options) => {
    expect(refused(line, options)).toMatchSnapshot();
  });

  const ready = { rules: { allow: ["Bash(git commit:*)", "Bash(git add:*)"] } };
  test.each([
    ['git commit -m "Use `foo` here"', ready],
    ['git commit -m "Use `parse()` and `a | b` here"', ready],
    ['echo "it costs $(npm run price)"', undefined],
    ['git add -A && git commit -m "Use `foo` here"', undefined],
  ] as const)("text in double quotes that bash would run: %s", (line, options) => {
    expect(refused(line, options)).toMatchSnapshot();
  });

  test("names each refused command with its own reason", () => {
    expect(refused("npm install && node x.js && make && ls", npmTest)).toMatchInlineSnapshot(
      `"Not run: \`npm install\` (no rule allows this; allowed: Bash(npm test:*)), \`node x.js\` (node runs any code it is given) and \`make\` (make runs any code it is given) need permission, and no user is available to give it. The rest of the line is allowed: run it by itself. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Bash(npm install && node x.js && make && ls)"."`,
    );
    expect(refused("npm install; make; tsc; eslint", { agent: reviewer, mode: "plan" })).toMatchInlineSnapshot(
      `"Not run: \`npm install\` (npm is not among the read-only commands), \`make\` (make runs any code it is given), \`tsc\` (tsc is not among the read-only commands) and 1 more do more than read, and an agent of type reviewer only reads. Say in your answer what you would have run."`,
    );
  });

  test("says that an allow rule does not count for an agent that only reads", () => {
    const options = { agent: reviewer, mode: "plan" as const, ...npmTest };
    expect(refused("npm test", options)).toMatchInlineSnapshot(
      `"Not run: \`npm test\` does more than read (npm is not among the read-only commands, and allow rules do not count here), and an agent of type reviewer only reads. Say in your answer what you would have run."`,
    );
    expect(refused("make", options)).not.toContain("rules");
  });

  test("says who commits instead", () => {
    expect(refused("git commit -m x")).toMatchInlineSnapshot(
      `"Not run: \`git commit -m x\` needs permission (git commit is not among the read-only commands), and no user is available to give it. Leave the changes uncommitted: they stay in the folder and are not lost. Say so in your report, and name the changed files: the user can commit them. The user can also allow it with --allowedTools "Bash(git commit:*)"."`,
    );
    expect(refused("git commit -m x", { agent: { ...lead, isLead: true } })).toContain(
      "Say so in your answer, and name the changed files: the user can commit them.",
    );
    expect(refused("git commit -m x", { agent: { ...lead, lead: "team-lead" } })).not.toContain("team-lead");
    const starter = { ...lead, tools: [...lead.tools, "Agent"] };
    expect(refused("git commit -m x", { agent: starter, mode: "acceptEdits" })).toContain(
      'To land them anyway, start an agent with isolation "worktree": it may commit there, and copies the files with cp from this folder first. Then land its branch.',
    );
  });

  test("a file outside the working directory, and a change in mode default", () => {
    expect(refusedFile("Read", "/etc/hosts")).toMatchInlineSnapshot(
      `"Not read: /etc/hosts needs permission (it is outside the working directory), and no user is available to give it. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Read(//etc/hosts)"."`,
    );
    expect(refusedFile("Edit", "/work/a.ts")).toMatchInlineSnapshot(
      `"Not changed: /work/a.ts needs permission (files are changed only with permission in mode default), and no user is available to give it. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Edit(//work/a.ts)" or --permission-mode acceptEdits."`,
    );
  });

  test("a change in the main checkout names the agent's copy and says when to read it", () => {
    const decision = authorize({
      tool: { name: "Edit", access: "write" },
      subject: { kind: "path", path: "/main/a.ts", change: true },
      title: "Edit /main/a.ts",
      mode: "acceptEdits",
      rules: parseRules({}),
      roots: ["/own"],
      cwd: "/own",
      workspace: { worktree: { top: "/own", mainTop: "/main", readable: "/main" } },
    });
    if (decision.behavior === "allow") throw new Error("it is allowed");
    const text = deniedCall({ verb: "changed", title: "Edit /main/a.ts", decision, agent: lead });
    expect(text).toContain(
      "Your copy is /own/a.ts. Change your copy instead. Read it first if it differs from the file that you have read.",
    );
  });

  test("says that the time ran out when it did", () => {
    const text = refused("npm test", { because: "team-lead did not answer within 600 s" });
    expect(text).toContain("and team-lead did not answer within 600 s.");
    expect(text).not.toContain("another way");
  });

  test("in mode dontAsk", () => {
    expect(refused("npm test; ls src", { mode: "dontAsk" })).toMatchInlineSnapshot(
      `"Not run: \`npm test\` needs permission (npm is not among the read-only commands), and the mode dontAsk asks no questions. The rest of the line is allowed: run it by itself. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Bash(npm test)"."`,
    );
  });
});

describe("a refusal by a rule", () => {
  test("a deny rule: the part, the rule, and no other way", () => {
    expect(refused("ls src; rm -rf x", { rules: { deny: ["Bash(rm:*)"] } })).toMatchInlineSnapshot(
      `"Not run: \`rm -rf x\` is forbidden (the rule Bash(rm:*) forbids it). The rest of the line is allowed: run it by itself. Do not try to get the same effect another way. Continue without it, or say what you need and stop."`,
    );
  });

  test("a protected path", () => {
    expect(refused("echo x > .git/config")).toMatchInlineSnapshot(
      `"Not run: /work/.git/config is in .git: git runs and obeys the files in it; use git's own commands. Agents may not write there, whatever the rules allow. Do not try to get the same effect another way. Tell the user what to change instead."`,
    );
  });
});

describe("plan mode", () => {
  const plan = { mode: "plan" } as const;

  test("an agent that plans reads the reason and what to do next", () => {
    expect(refused("npm test; git log", plan)).toMatchInlineSnapshot(
      `"Not run: you are in plan mode, and \`npm test\` is not allowed (npm is not among the read-only commands). The rest of the line is allowed: run it by itself. Continue reading, and present the plan when it is ready."`,
    );
  });

  test("a type that only reads hears nothing of plan mode", () => {
    expect(refused("npm test", { ...plan, agent: reviewer })).toMatchInlineSnapshot(
      `"Not run: \`npm test\` does more than read (npm is not among the read-only commands), and an agent of type reviewer only reads. Say in your answer what you would have run."`,
    );
    expect(refused("npm test", { ...plan, agent: teammate })).toMatchInlineSnapshot(
      `"Not run: \`npm test\` does more than read (npm is not among the read-only commands), and an agent of type reviewer only reads. Ask team-lead to have it run, or say in your answer what you would have run."`,
    );
    for (const agent of [reviewer, teammate]) expect(refused("npm test", { ...plan, agent })).not.toMatch(/plan/i);
  });

  test("a type that only reads hears how to see a branch that it cannot merge", () => {
    expect(refused("git merge --no-edit troupe/dev-a-xkmc", { ...plan, agent: teammate })).toMatchInlineSnapshot(
      `"Not run: \`git merge --no-edit troupe/dev-a-xkmc\` does more than read (git merge is not among the read-only commands), and an agent of type reviewer only reads. To see that branch, run git diff HEAD...troupe/dev-a-xkmc."`,
    );
  });

  test("a subagent of an agent in plan mode is not asked for a plan", () => {
    const agent: DeniedAgent = { ...lead, plan: "subagent", type: "general-purpose" };
    expect(refused("npm test", { ...plan, agent })).toMatchInlineSnapshot(
      `"Not run: \`npm test\` is not allowed (npm is not among the read-only commands), because the agent that started you is in plan mode. Say in your answer what you would have done."`,
    );
  });

  test("a call that was not answered in time", () => {
    expect(deniedByTimeout("team-lead did not answer within 600 s")).toMatchInlineSnapshot(
      `"Not run: team-lead did not answer within 600 s. This was a timeout, not a refusal. Continue without it, try again later, or say in your report what you need."`,
    );
  });
});

test("a line that bash cannot parse fails when all of Bash is allowed", () => {
  expect(refused(`echo "unterminated`, { rules: { allow: ["Bash"] } })).toBe(
    "bash cannot parse this: unterminated double quote. Nothing was run.",
  );
});

test("the text names only tools that the agent has", () => {
  const agent: DeniedAgent = { ...lead, tools: ["Bash"] };
  expect(refused("for f in src/*; do head $f; done", { agent })).not.toMatch(/Glob|Grep/);
  expect(refused("sed -i s/a/b/ $x", { agent, mode: "acceptEdits" })).not.toMatch(/Edit\b|Write\b/);
});
