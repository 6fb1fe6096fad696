import { describe, expect, test } from "vitest";
import { authorize, parseRule } from "../../../src/tool/index.ts";
import { judge } from "../../support/shell/judge-command.ts";

const allow = (...rules: string[]) => ({ rules: { allow: rules.map((rule) => `Bash(${rule})`) } });

describe("a rule that names a program which runs any code is taken at its word", () => {
  test.each([
    ["node:*", "node test.js"],
    ["node:*", `node -e "1 + 1"`],
    ["node:*", "node --version && node test.js | tail -5"],
    ["node:*", "cd src && node a.js"],
    ["node:*", "timeout 60 node a.js"],
    ["node:*", `for f in a b; do node "$f"; done`],
    ["python3 *", "python3 -m pytest -q"],
    ["bash:*", "bash scripts/build.sh"],
    ["npm exec:*", "npm exec tsc"],
    ["npx tsc:*", "npx tsc --noEmit"],
    ["make:*", "make test"],
    ["git config:*", "git config user.name x"],
  ])("%s allows %s", (rule, line) => {
    expect(judge(line, allow(rule)).behavior).toBe("allow");
  });

  test.each([
    ["node:*", "nodejs a.js"],
    ["node:*", "node a.js; rm -rf x"],
    ["node:*", "node a.js > out.txt"],
    ["node:*", "node a.js $(rm x)"],
    ["node:*", "NODE_OPTIONS=x node a.js"],
    ["node:*", "echo a.js | xargs node"],
    ["node:*", "$x a.js"],
    ["node:*", "/tmp/node a.js"],
    ["node:*", "./node a.js"],
    ["npx tsc:*", "npx other"],
    ["npm:*", "npm exec tsc"],
    ["git:*", "git config core.pager x"],
    ["n*", "node a.js"],
    ["* a.js", "node a.js"],
    ["export:*", "export PATH=. && ls"],
    ["source:*", "source x"],
    [".:*", ". x"],
    ["eval:*", `eval "rm x"`],
    ["timeout:*", "timeout 5 node a.js"],
    ["env:*", "env node a.js"],
  ])("%s does not allow %s", (rule, line) => {
    expect(judge(line, allow(rule)).behavior).toBe("ask");
  });

  test("deny rules and protected paths still count, also inside a script", () => {
    const rules = { allow: ["Bash(bash:*)"], deny: ["Bash(rm:*)"] };
    expect(judge("bash -c 'rm x'", { rules }).behavior).toBe("deny");
    expect(judge("bash -c 'echo x > .git/hooks/pre-commit'", { rules }).behavior).toBe("deny");
  });

  test("with a deny rule, a script whose commands are unknown is not allowed", () => {
    const rules = { allow: ["Bash(bash:*)"], deny: ["Bash(rm:*)"] };
    expect(judge(`bash -c "$x"`, { rules }).behavior).toBe("ask");
    expect(judge(`bash -c "$x"`, { rules: { allow: ["Bash(bash:*)"] } }).behavior).toBe("allow");
  });

  test("a rule that a skill grants is not", () => {
    const rule = { ...parseRule("Bash(node:*)"), granted: true };
    const decision = authorize({
      tool: { name: "Bash", access: "run" },
      subject: { kind: "command", command: "node a.js" },
      title: "$ node a.js",
      mode: "default",
      rules: { allow: [rule], ask: [], deny: [] },
      roots: ["/work"],
      cwd: "/work",
    });
    expect(decision.behavior).toBe("ask");
  });
});

test("a refusal names the rules for other lines of the program", () => {
  const why = (line: string, ...rules: string[]) => {
    const decision = judge(line, allow(...rules));
    return decision.behavior === "ask" ? decision.refusal?.why : undefined;
  };
  expect(why("npm run test -- --watch", "npm test", "ls -R")).toBe("no rule allows this; allowed: Bash(npm test)");
  expect(why("npm publish", "cargo test")).toBe("no rule allows npm");
});
