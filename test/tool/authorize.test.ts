import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { PermissionMode } from "../../src/protocol/index.ts";
import {
  authorize,
  noRules,
  parseRule,
  parseRules,
  type PermissionSubject,
  resolveSubject,
} from "../../src/tool/index.ts";

const command = (text: string) => ({
  name: "Bash",
  access: "run" as const,
  subject: { kind: "command" as const, command: text },
});
const path = (name: "Read" | "Write" | "Edit", file: string) => ({
  name,
  access: name === "Read" ? ("read" as const) : ("write" as const),
  subject: { kind: "path" as const, path: file, change: name !== "Read" },
});
const url = (address: string) => ({
  name: "WebFetch",
  access: "read" as const,
  subject: { kind: "url" as const, url: address },
});
const own = { name: "TaskStop", access: "run" as const, subject: { kind: "own" as const } };
const mcp = { name: "mcp__server__do", access: "run" as const, subject: { kind: "none" as const } };

type Call = { name: string; access: "read" | "write" | "run"; subject: PermissionSubject };
function judge(call: Call, mode: PermissionMode = "default", rules: Parameters<typeof parseRules>[0] = {}) {
  const { name, access, subject } = call;
  const set = Object.keys(rules).length === 0 ? noRules : parseRules(rules);
  return authorize({
    tool: { name, access },
    subject,
    title: `${name} it`,
    mode,
    rules: set,
    roots: ["/work"],
    cwd: "/work/sub",
  });
}
const verdict = (...request: Parameters<typeof judge>) => {
  const { behavior, rule } = judge(...request);
  return `${behavior} by ${rule}`;
};

describe("modes", () => {
  const calls: [string, Call][] = [
    ["read inside", path("Read", "/work/a")],
    ["read outside", path("Read", "/workshop/a")],
    ["write inside", path("Write", "/work/a")],
    ["write outside", path("Edit", "/etc/a")],
    ["command", command("ls")],
    ["fetch", url("https://example.com/")],
    ["own", own],
    ["mcp", mcp],
  ];
  const modes: PermissionMode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "bubble"];
  it("decide as the table says", () => {
    const table = modes.map((mode) => [mode, ...calls.map(([name, call]) => `${name}: ${judge(call, mode).behavior}`)]);
    expect(table).toMatchInlineSnapshot(`
      [
        [
          "default",
          "read inside: allow",
          "read outside: ask",
          "write inside: ask",
          "write outside: ask",
          "command: ask",
          "fetch: ask",
          "own: allow",
          "mcp: ask",
        ],
        [
          "acceptEdits",
          "read inside: allow",
          "read outside: ask",
          "write inside: allow",
          "write outside: ask",
          "command: ask",
          "fetch: ask",
          "own: allow",
          "mcp: ask",
        ],
        [
          "plan",
          "read inside: allow",
          "read outside: ask",
          "write inside: deny",
          "write outside: deny",
          "command: deny",
          "fetch: ask",
          "own: allow",
          "mcp: deny",
        ],
        [
          "dontAsk",
          "read inside: allow",
          "read outside: deny",
          "write inside: deny",
          "write outside: deny",
          "command: deny",
          "fetch: deny",
          "own: allow",
          "mcp: deny",
        ],
        [
          "bypassPermissions",
          "read inside: allow",
          "read outside: allow",
          "write inside: allow",
          "write outside: allow",
          "command: allow",
          "fetch: allow",
          "own: allow",
          "mcp: allow",
        ],
        [
          "bubble",
          "read inside: allow",
          "read outside: ask",
          "write inside: ask",
          "write outside: ask",
          "command: ask",
          "fetch: ask",
          "own: allow",
          "mcp: ask",
        ],
      ]
    `);
  });
  it("say what they mean, in words a model can act on", () => {
    expect([
      judge(path("Write", "/work/a"), "plan"),
      judge(command("ls"), "dontAsk"),
      judge(command("rm x"), "default", { deny: ["Bash"] }),
    ]).toMatchInlineSnapshot(`
      [
        {
          "behavior": "deny",
          "reason": "In plan mode nothing is changed or run: Write is not allowed. Go on reading, and present the plan when it is ready.",
          "rule": "mode plan",
        },
        {
          "behavior": "deny",
          "reason": "Bash would need the user's permission here, and nobody is asked in this session. Find a way that needs none, or say what you would need.",
          "rule": "mode dontAsk",
        },
        {
          "behavior": "deny",
          "reason": "The rule Bash forbids this. Do not try to get round it: find another way, or ask the user.",
          "rule": "deny Bash",
        },
      ]
    `);
    expect(judge(path("Read", "/etc/[a]*"))).toMatchInlineSnapshot(`
      {
        "behavior": "ask",
        "question": "Allow Read it?",
        "rule": "mode default",
        "suggestions": [
          "Read(/etc/\\[a]\\*)",
        ],
      }
    `);
  });
});

describe("rules", () => {
  it("deny first, then ask, then allow", () => {
    const rules = { allow: ["Bash"], ask: ["Bash(git push)"], deny: ["Bash(rm x)"] };
    expect(verdict(command("ls"), "default", rules)).toBe("allow by allow Bash");
    expect(verdict(command(" git push "), "default", rules)).toBe("ask by ask Bash(git push)");
    expect(verdict(command("rm x"), "default", rules)).toBe("deny by deny Bash(rm x)");
    expect(verdict(command("rm x"), "bypassPermissions", rules)).toBe("deny by deny Bash(rm x)");
    expect(verdict(command("git push"), "dontAsk", rules)).toBe("deny by ask Bash(git push), mode dontAsk");
    expect(verdict(command("ls"), "plan", rules)).toBe("deny by mode plan");
  });

  it.each([
    ["Bash(ls)", command("ls"), true],
    ["Bash(ls)", command("ls -l"), false],
    ["Bash(ls)", command("ls; rm x"), false],
    ["Bash(npm run test:*)", command("npm run test:unit"), false],
    ["Read(/work/**)", path("Read", "/work/a/b"), true],
    ["Read(./**)", path("Read", "/work/a"), false],
    ["Read(./x)", path("Read", "/work/sub/x"), true],
    ["Edit(/work/**)", path("Write", "/work/a"), true],
    ["Edit", path("Read", "/work/a"), false],
    ["WebFetch(domain:example.com)", url("https://example.com/a"), true],
    ["WebFetch(domain:example.com)", url("https://example.com.evil.org/a"), false],
    ["WebFetch(domain:example.com)", url("https://evil.org/example.com"), false],
    ["mcp__server", mcp, true],
    ["mcp__server__do", mcp, true],
    ["mcp__serv", mcp, false],
    ["*", mcp, true],
    ["mcp__server(x)", mcp, false],
  ] as [string, Call, boolean][])("%s speaks of it: %#", (rule, call, speaks) => {
    expect(judge(call, "default", { deny: [rule] }).behavior === "deny").toBe(speaks);
  });

  it.each(["", "  ", "Bash(", "Bash()", "Bash( )", "Bash)x(", "9lives", "two words"])("%j is refused", (text) => {
    expect(() => parseRule(text)).toThrow(/is not a permission rule: write a tool's name/);
  });

  it("are suggested so that they allow just this call", () => {
    for (const call of [command("echo 'a) (b'"), path("Read", "/etc/[a]*{x}"), url("https://example.com/x")]) {
      const asked = judge(call);
      expect(asked.behavior).toBe("ask");
      const allow = asked.behavior === "ask" ? asked.suggestions : [];
      expect(judge(call, "default", { allow }).behavior).toBe("allow");
    }
  });
});

describe("resolveSubject", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-subject-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  it("follows links, also those that lead nowhere yet", async () => {
    mkdirSync(join(folder, "work"));
    symlinkSync("/etc", join(folder, "work/out"));
    symlinkSync("/etc/not-there", join(folder, "work/dangling"));
    symlinkSync("loop", join(folder, "work/loop"));
    const resolve = async (file: string) => {
      const subject = await resolveSubject(
        { kind: "path", path: file, change: true },
        { cwd: join(folder, "work"), env: { HOME: "/home/me" } },
      );
      return subject.kind === "path" ? subject.path.replace(folder, "DIR") : "";
    };
    expect(
      await Promise.all(["a/new/file", "out/passwd", "dangling", "../x", "~/y", "loop", "a/../out/../b"].map(resolve)),
    ).toEqual([
      "DIR/work/a/new/file",
      "/etc/passwd",
      "/etc/not-there",
      "DIR/x",
      "/home/me/y",
      "DIR/work/loop",
      "DIR/work/b",
    ]);
  });
});
