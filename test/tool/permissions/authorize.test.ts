import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import {
  authorize,
  noRules,
  parseRule,
  parseRules,
  type PermissionSubject,
  resolveSubject,
  splitRules,
} from "../../../src/tool/index.ts";

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
const agent = (name: string) => ({ name: "Agent", access: "run" as const, subject: { kind: "name" as const, name } });
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
    cwd: "/work",
    home: "/home/me",
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
    ["command", command("make")],
    ["command that looks", command("ls")],
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
          "command that looks: allow",
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
          "command that looks: allow",
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
          "command that looks: allow",
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
          "command that looks: allow",
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
          "command that looks: allow",
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
          "command that looks: allow",
          "fetch: ask",
          "own: allow",
          "mcp: ask",
        ],
      ]
    `);
  });
  it("explain themselves in words a model can act on", () => {
    const reasons = [
      judge(path("Write", "/work/a"), "plan"),
      judge(command("make"), "dontAsk"),
      judge(command("rm x"), "default", { deny: ["Bash"] }),
    ].map(({ behavior, rule, reason }) => ({ behavior, rule, reason }));
    expect(reasons).toMatchInlineSnapshot(`
      [
        {
          "behavior": "deny",
          "reason": "Write may not change or run anything in plan mode",
          "rule": "mode plan",
        },
        {
          "behavior": "deny",
          "reason": "it needs permission (make runs any code it is given), and the mode dontAsk asks no questions",
          "rule": "mode dontAsk",
        },
        {
          "behavior": "deny",
          "reason": "the rule Bash forbids it",
          "rule": "deny Bash",
        },
      ]
    `);
    expect(judge(path("Read", "/etc/[a]*"))).toMatchInlineSnapshot(`
      {
        "behavior": "ask",
        "question": "Allow Read it?",
        "refusal": {
          "cause": "permission",
          "hints": [],
          "part": "/etc/[a]*",
          "rules": [
            "Read(//etc/\\[a]\\*)",
          ],
          "why": "it is outside the working directory",
        },
        "rule": "mode default",
        "suggestions": [
          "Read(//etc/\\[a]\\*)",
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
    expect(verdict(command("make"), "plan", rules)).toBe("deny by mode plan");
    expect(verdict(command("ls"), "plan", rules)).toBe("allow by read-only command");
  });

  it.each([
    ["Bash(ls)", command("ls"), true],
    ["Bash(ls)", command("ls -l"), true],
    ["Bash(ls)", command("lsof"), false],
    ["Bash(git push)", command("git push -f"), false],
    ["Bash(git push:*)", command("git -C x push -f"), true],
    ["Bash(git p*)", command("git push -f"), true],
    ["Bash(ls)", command("echo; ls"), true],
    ["Bash(npm run test:*)", command("npm run test:unit"), false],
    ["Read(//work/**)", path("Read", "/work/a/b"), true],
    ["Read(//etc/**)", path("Read", "/work/etc/b"), false],
    ["Read(/a/**)", path("Read", "/work/a/b"), true],
    ["Read(./sub/**)", path("Read", "/work/a"), false],
    ["Read(./x)", path("Read", "/work/sub/x"), false],
    ["Read(./x)", path("Read", "/work/x"), true],
    ["Read(./x)", path("Read", "/work/x/y/z"), true],
    ["Read(./x/**)", path("Read", "/work/x"), true],
    ["Read(x)", path("Read", "/work/a/b/x"), true],
    ["Read(*.pem)", path("Read", "/work/a/b.PEM"), true],
    ["Read(~/.ssh/**)", path("Read", "/home/me/.ssh/id_rsa"), true],
    ["Read(./.env)", command("cat .env"), true],
    ["Read(./.env)", command("cat < sub/../.env"), true],
    ["Read(./.env)", command("cd sub && tail -n1 ../.env"), true],
    ["Edit(./docs/**)", command("echo x > docs/a"), true],
    ["Edit(./docs/**)", command("cat docs/a"), false],
    ["Edit(/docs/**)", path("Write", "/work/docs/a"), true],
    ["Agent(Explore)", agent("Explore"), true],
    ["Task(Explore)", agent("Explore"), true],
    ["Agent(Explore)", agent("Plan"), false],
    ["WebFetch(domain:*.example.com)", url("https://a.b.example.com/"), true],
    ["WebFetch(domain:*.example.com)", url("https://example.com/"), false],
    ["WebFetch(domain:*.example.com)", url("https://badexample.com/"), false],
    ["WebFetch(domain:EXAMPLE.com)", url("https://example.com./a"), true],
    ["Edit", path("Read", "/work/a"), false],
    ["WebFetch(domain:example.com)", url("https://example.com/a"), true],
    ["WebFetch(domain:example.com)", url("https://example.com.evil.org/a"), false],
    ["WebFetch(domain:example.com)", url("https://evil.org/example.com"), false],
    ["mcp__server", mcp, true],
    ["mcp__server__do", mcp, true],
    ["mcp__serv", mcp, false],
    ["*", mcp, true],
  ] as [string, Call, boolean][])("%s matches the call or not: %#", (rule, call, speaks) => {
    expect(judge(call, "default", { deny: [rule] }).behavior === "deny").toBe(speaks);
  });

  it.each(["", "  ", "Bash(", "Bash()", "Bash( )", "Bash)x(", "9lives", "two words"])("%j is refused", (text) => {
    expect(() => parseRule(text)).toThrow(/is not a permission rule: write a tool's name/);
  });

  it.each([
    ["Bsh(ls)", /names the tool Bsh, which does not exist: did you mean Bash\?/],
    ["Frobnicate", /names the tool Frobnicate, which does not exist$/],
    ["mcp__server(x)", /write MCP rules as mcp__server or mcp__server__tool\./],
    ["*(x)", /\* stands for every use of every tool\./],
    ["WebFetch(host:example.com)", /write WebFetch\(domain:example.com\)/],
    ["WebFetch(domain:https://example.com)", /does not name a host/],
    ["WebFetch(domain:exa*mple.com)", /does not name a host/],
  ])("%s is refused", (text, message) => {
    expect(() => parseRule({ value: text, source: "/p/.troupe/settings.json" }, [])).toThrow(message);
    expect(() => parseRule({ value: text, source: "/p/.troupe/settings.json" }, [])).toThrow(
      /^\/p\/\.troupe\/settings\.json: /,
    );
  });
  it("for unknown tools are accepted in files of another agent program", () => {
    expect(parseRule({ value: "FancyTool(x)", source: "/p/.claude/settings.json" }, []).tool).toBe("FancyTool");
  });
  it.each([
    ["Bash(git log:*) Bash(git diff *),Read", ["Bash(git log:*)", "Bash(git diff *)", "Read"]],
    ["Read, Edit  Write", ["Read", "Edit", "Write"]],
    ["Bash(echo (a, b))", ["Bash(echo (a, b))"]],
    ["", []],
  ])("%s is split", (text, rules) => expect(splitRules(text)).toEqual(rules));
  it("name their source", () => {
    const deny = [{ value: "Bash(rm:*)", source: "/p/.troupe/settings.json" }];
    expect(verdict(command("rm x"), "default", { deny })).toBe("deny by deny Bash(rm:*) (/p/.troupe/settings.json)");
  });
  it("with a slash are relative to the folder of their file", () => {
    const deny = [{ value: "Read(/a)", source: "s", folder: "/other" }];
    expect(verdict(path("Read", "/other/a"), "default", { deny })).toBe("deny by deny Read(/a) (s)");
    expect(verdict(path("Read", "/work/a"), "default", { deny })).toBe("allow by mode default");
  });

  it("are suggested to allow exactly this call", () => {
    for (const call of [command("touch 'a) (b'"), path("Read", "/etc/[a]*{x}"), url("https://example.com/x")]) {
      const asked = judge(call);
      expect(asked.behavior).toBe("ask");
      const allow = asked.behavior === "ask" ? asked.suggestions : [];
      expect(judge(call, "default", { allow }).behavior).toBe("allow");
    }
  });
});

describe("files", () => {
  it.each([
    ".git/hooks/pre-commit",
    ".git",
    ".GIT/config",
    ".troupe/settings.json",
    "sub/.claude/settings.json",
    ".vscode/tasks.json",
    ".bashrc",
    ".mcp.json",
    ".gitmodules",
    ".husky/pre-commit",
    ".g\u200bit/config",
    ".git./x",
  ])("%s is protected, in every mode that asks", (file) => {
    const modes: PermissionMode[] = ["default", "acceptEdits", "dontAsk", "bubble"];
    const verdicts = modes.map((mode) => verdict(path("Write", `/work/${file}`), mode, { allow: ["Edit", "*"] }));
    expect(new Set(verdicts)).toEqual(new Set(["deny by protected path"]));
    expect(judge(path("Read", `/work/${file}`)).behavior).toBe("allow");
  });
  it.each([".gitignore", "src/git/config.ts", "a.bashrc.md"])("%s is not protected", (file) => {
    expect(judge(path("Write", `/work/${file}`), "acceptEdits").behavior).toBe("allow");
  });
  it("a worktree in a protected folder is writable", () => {
    const roots = ["/work/.troupe/worktrees/one"];
    const write = (file: string) =>
      authorize({
        ...path("Write", ""),
        tool: path("Write", ""),
        subject: path("Write", file).subject,
        title: "",
        mode: "acceptEdits",
        rules: noRules,
        roots,
        cwd: roots[0] ?? "",
      }).behavior;
    expect(write("/work/.troupe/worktrees/one/src/a")).toBe("allow");
    expect(write("/work/.troupe/worktrees/one/.git")).toBe("deny");
    expect(write("/work/.troupe/settings.json")).toBe("deny");
  });
  it("an agent's own notes are writable without asking, except for protected names inside", () => {
    const memory = "/work/.troupe/agent-memory/keen";
    const say = (name: "Read" | "Write", file: string, more: Partial<Parameters<typeof authorize>[0]> = {}) => {
      const { subject, access } = path(name, file);
      const request = { tool: { name, access }, subject, title: "", mode: "default" as const, rules: noRules };
      return authorize({ ...request, roots: ["/other"], cwd: "/other", stateRoot: "/home", memory, ...more }).behavior;
    };
    expect(say("Write", `${memory}/MEMORY.md`)).toBe("allow");
    expect(say("Read", `${memory}/MEMORY.md`)).toBe("allow");
    expect(say("Write", "/home/agent-memory/keen/a", { memory: "/home/agent-memory/keen" })).toBe("allow");
    expect(say("Write", `${memory}/MEMORY.md`, { mode: "plan" })).toBe("deny");
    expect(say("Write", `${memory}/MEMORY.md`, { rules: parseRules({ deny: ["Write"] }) })).toBe("deny");
    expect(say("Write", `${memory}/MEMORY.md`, { rules: parseRules({ ask: ["Write"] }) })).toBe("ask");
    expect(say("Write", memory)).toBe("deny");
    expect(say("Write", `${memory}/.git/config`)).toBe("deny");
    expect(say("Read", `${memory}/.env`)).toBe("ask");
    expect(say("Write", "/work/.troupe/agent-memory/keen2/a")).toBe("deny");
    expect(say("Read", "/work/.troupe/agent-memory/keen2/a")).toBe("ask");
  });
  it.each([".env", ".env.local", "id_rsa", "server.key", "secrets.json"])("reading %s asks", (file) => {
    expect(verdict(path("Read", `/work/${file}`))).toBe("ask by secret file");
    expect(judge(command(`cat ${file}`)).behavior).toBe("ask");
    expect(judge(path("Read", `/work/${file}`), "default", { allow: [`Read(${file})`] }).behavior).toBe("allow");
  });
  it("an example file for secrets is not a secret", () =>
    expect(judge(path("Read", "/work/.env.example")).behavior).toBe("allow"));
});

describe("resolveSubject", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-subject-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  it("follows links, also dangling ones", async () => {
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

describe("a change outside the working directory", () => {
  const allow = { allow: ["Write", "Read"] };
  it("is marked if a rule allows it", () => {
    expect(judge(path("Write", "/other/a"), "default", allow)).toEqual({
      behavior: "allow",
      rule: "allow Write",
      outside: "/work",
    });
  });
  it("is not marked inside, or if the call only reads", () => {
    expect(judge(path("Write", "/work/a"), "default", allow)).not.toHaveProperty("outside");
    expect(judge(path("Read", "/other/a"), "default", allow)).not.toHaveProperty("outside");
  });
});
