import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const troupe = resolve(import.meta.dirname, "../../../dist/troupe.cjs");

let temp: string;
let cwd: string;

beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "troupe-test-permissions-")));
  cwd = join(temp, "project");
  mkdirSync(cwd);
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

function run(args: readonly string[], input = "") {
  const env = { PATH: process.env["PATH"], HOME: temp, TROUPE_HOME: join(temp, "troupe") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [troupe, "permissions", ...args], {
    cwd,
    env,
    input,
    encoding: "utf8",
  });
  return { status, stdout: stdout.replaceAll(temp, "TEMP"), stderr: stderr.replaceAll(temp, "TEMP") };
}

function settings(permissions: object): void {
  mkdirSync(join(temp, "troupe"), { recursive: true });
  writeFileSync(join(temp, "troupe/settings.json"), JSON.stringify({ permissions }));
}

describe("list", () => {
  test("shows every rule, its source and what it hides", () => {
    settings({
      allow: ["Bash(git log:*)", "Bash(git push)", "Read(./x)"],
      deny: ["Bash(git push:*)"],
      ask: ["Bash(git:*)"],
    });
    expect(run(["list"])).toMatchInlineSnapshot(`
      {
        "status": 0,
        "stderr": "",
        "stdout": "mode default
      deny   Bash(git push:*)  (TEMP/troupe/settings.json)
             hides allow Bash(git push) (TEMP/troupe/settings.json)
      ask    Bash(git:*)  (TEMP/troupe/settings.json)
             hides allow Bash(git log:*) (TEMP/troupe/settings.json), allow Bash(git push) (TEMP/troupe/settings.json)
      allow  Bash(git log:*)  (TEMP/troupe/settings.json)
             has no effect: ask Bash(git:*) (TEMP/troupe/settings.json) takes precedence
      allow  Bash(git push)  (TEMP/troupe/settings.json)
             has no effect: deny Bash(git push:*) (TEMP/troupe/settings.json), ask Bash(git:*) (TEMP/troupe/settings.json) takes precedence
      allow  Read(./x)  (TEMP/troupe/settings.json)
      ",
      }
    `);
    const { stdout } = run(["list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      mode: "default",
      rules: [
        {
          list: "deny",
          rule: "Bash(git push:*)",
          source: "TEMP/troupe/settings.json",
          hides: ["allow Bash(git push) (TEMP/troupe/settings.json)"],
          hiddenBy: [],
        },
        { list: "ask", rule: "Bash(git:*)" },
        { list: "allow", rule: "Bash(git log:*)", hiddenBy: ["ask Bash(git:*) (TEMP/troupe/settings.json)"] },
        { list: "allow", rule: "Bash(git push)" },
        { list: "allow", rule: "Read(./x)", hides: [], hiddenBy: [] },
      ],
    });
  });
  test("says that there are no rules", () => expect(run([]).stdout).toMatch(/^mode default\nno rules/));
});

describe("test", () => {
  test("prints a verdict with its reason and exits with 0", () => {
    settings({ deny: ["Bash(git push:*)"] });
    expect(run(["test", "Bash(git push)"])).toMatchInlineSnapshot(`
      {
        "status": 0,
        "stderr": "",
        "stdout": "deny  deny Bash(git push:*) (TEMP/troupe/settings.json): the rule Bash(git push:*) forbids it
      ",
      }
    `);
    expect(run(["test", "Bash(git push)", "--json"])).toMatchInlineSnapshot(`
      {
        "status": 0,
        "stderr": "",
        "stdout": "{"decision":"deny","rule":"deny Bash(git push:*) (TEMP/troupe/settings.json)","reason":"the rule Bash(git push:*) forbids it"}
      ",
      }
    `);
    expect(run(["test", "Bash(ls)", "--json"]).stdout).toBe(
      `{"decision":"allow","rule":"read-only command","reason":"allowed by read-only command"}\n`,
    );
  });
  test("checks command lines from standard input against extra rules", () => {
    const args = [
      "test",
      "--stdin",
      "--json",
      "--allow",
      "Bash(npm test:*)",
      "--ask",
      "Bash(npm test -u)",
      "--deny",
      "Bash(rm:*)",
    ];
    const { status, stdout } = run(args, "ls\nnpm test\nnpm test -u\n\nls; rm x\nmake\nls\rid\nls # \u2028 id\n");
    expect(status).toBe(0);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { decision: string; rule: string });
    expect(lines.map(({ decision, rule }) => `${decision} by ${rule}`)).toEqual([
      "allow by read-only command",
      "allow by allow Bash(npm test:*) (--allow)",
      "ask by ask Bash(npm test -u) (--ask)",
      "deny by deny Bash(rm:*) (--deny)",
      "ask by mode default",
      "ask by mode default",
      "ask by mode default",
    ]);
  });
  test("supports other tools and modes", () => {
    const verdict = (...args: string[]) => run(["test", "--json", ...args]).stdout;
    expect(verdict("Edit(src/a.ts)")).toContain('"ask"');
    expect(verdict("Edit(src/a.ts)", "--mode", "acceptEdits")).toContain('"allow"');
    expect(verdict("Edit(.git/config)", "--mode", "acceptEdits")).toContain('"protected path"');
    expect(verdict("Write(~/.bashrc)", "--mode", "dontAsk")).toContain('"protected path"');
    expect(verdict("Bash(npm test)", "--mode", "plan")).toContain('"mode plan"');
    expect(verdict("Bash(git status)", "--mode", "plan")).toContain('"allow"');
    expect(verdict("WebFetch(https://example.com/a)", "--allow", "WebFetch(domain:example.com)")).toContain('"allow"');
    expect(verdict("mcp__a__b", "--deny", "mcp__a")).toContain('"deny"');
    expect(verdict("Agent(Explore)", "--allow", "Agent(Explore)")).toContain('"allow"');
  });
  test.each([
    [["test"], /no call to test\./],
    [["test", "Bsh(ls)"], /there is no tool Bsh: did you mean Bash\?/],
    [["test", "ls -la"], /"ls -la" is not a call/],
    [["test", "Bash"], /Bash needs a command line in brackets/],
    [["test", "Bash(ls)", "--deny", "Foo("], /--deny: "Foo\(" is not a permission rule/],
    [["test", "Bash(ls)", "--mode", "x"], /x/],
  ])("%j is refused", (args, message) => {
    const { status, stderr, stdout } = run(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});
