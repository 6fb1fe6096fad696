import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const troupe = resolve(import.meta.dirname, "../../../dist/troupe.cjs");

let root: string;
beforeEach(() => {
  root = temporaryFolder();
  for (const folder of ["home/.troupe", "repo/.git"]) mkdirSync(join(root, folder), { recursive: true });
});

function write(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const agent = (name: string, head = "") =>
  `---\nname: ${name}\ndescription: Helps with ${name}.\n${head}---\nYou help.\n`;

function run(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [troupe, "agents", ...args], {
    cwd: join(root, "repo"),
    encoding: "utf8",
    input: "",
    env: { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), ...env },
  });
  return { status, stdout: stdout.replaceAll(root, ""), stderr: stderr.replaceAll(root, "") };
}

describe("troupe agents list", () => {
  test("shows which definition is used, its path and what it hides", () => {
    write("repo/.claude/agents/r.md", agent("reviewer", "model: opus\ntools: Read, Bash(git diff:*)\n"));
    write("home/.claude/agents/r.md", agent("reviewer"));
    write("repo/.troupe/agents/bad.md", "---\nname: bad\n---\np\n");
    const { status, stdout, stderr } = run(["list"]);
    expect(status).toBe(0);
    expect(stdout).toContain(
      [
        "reviewer  Helps with reviewer.",
        "    model opus, tools Read, Bash(git diff:*), /repo/.claude/agents/r.md (project)",
        "    hides /home/.claude/agents/r.md (user)",
        "    hides built in",
      ].join("\n"),
    );
    expect(stdout).toContain("Explore  Finds things");
    expect(stderr).toBe("troupe: /repo/.troupe/agents/bad.md:2: description: is missing\n");
  });

  test("--json and --agents work as in a run", () => {
    const more = JSON.stringify({ extra: { description: "d", prompt: "p", tools: ["Read"] } });
    const { stdout } = run(["list", "--json", "--agents", more]);
    const { agents, problems } = z
      .object({ agents: z.array(z.looseObject({ name: z.string() })), problems: z.array(z.unknown()) })
      .parse(JSON.parse(stdout));
    expect(problems).toEqual([]);
    expect(agents.find(({ name }) => name === "extra")).toEqual({
      name: "extra",
      description: "d",
      model: "inherit",
      tools: ["Read"],
      disallowedTools: [],
      source: { level: "flag", from: "--agents" },
      hides: [],
      withheld: [],
    });
  });

  test("a wrong flag is an error", () => {
    const { status, stderr } = run(["list", "--agents", '{"a":{}}']);
    expect(status).toBe(2);
    expect(stderr).toContain("--agents: a.description: is missing");
  });
});

describe("troupe agents show", () => {
  test("requests of an untrusted folder are listed but not used", () => {
    write("repo/.troupe/agents/a.md", agent("theirs", "permissionMode: bypassPermissions\nmodel: scripted/evil.ts\n"));
    const { stdout } = run(["show", "theirs"]);
    expect(stdout).toContain("not used    permissionMode, model (this folder is not trusted");
    expect(stdout).toContain("model       the parent's");
    expect(stdout).toContain("mode        bypassPermissions if the parent is in bypassPermissions");
    expect(stdout).toContain("mode        default if the parent is in default\n");
  });

  test("the model of the environment and the mode of the settings count", () => {
    write("home/.troupe/settings.json", JSON.stringify({ subagents: { permissionMode: "plan" } }));
    const { stdout } = run(["show", "general-purpose", "--json"], {
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CODE_SUBAGENT_MODEL: "opus",
    });
    expect(JSON.parse(stdout)).toMatchObject({
      name: "general-purpose",
      effective: {
        kind: "foreground",
        model: { ok: true, ref: "anthropic/claude-opus-5-5", from: "environment" },
        modes: expect.arrayContaining([{ parent: "bypassPermissions", mode: "plan", from: "setting" }]) as unknown,
        tools: expect.arrayContaining(["Bash", "Read"]) as unknown,
      },
    });
  });

  test("an unknown name is an error", () => {
    const { status, stderr } = run(["show", "explore"]);
    expect(status).toBe(2);
    expect(stderr).toContain('there is no agent type "explore"; did you mean Explore?');
  });
});

describe("troupe agents validate", () => {
  test("no problems", () => {
    write("repo/.claude/agents/r.md", agent("reviewer", "tools: Read\nmodel: inherit\n"));
    expect(run(["validate"])).toEqual({ status: 0, stdout: "all definitions are valid\n", stderr: "" });
  });

  test("every problem with its place; exit code 1", () => {
    write("repo/.troupe/agents/a.md", agent("a", "model: gpt\ntools: Read, Wirte\nrequiredMcpServers: db\n"));
    write("repo/.troupe/agents/b.md", agent("b", "tools: [Read, TodoWrite]\neffort: high\n"));
    write("repo/.troupe/agents/c.md", "---\nname: c\n");
    const { status, stdout } = run(["validate"], { ANTHROPIC_API_KEY: "k" });
    expect(status).toBe(1);
    expect(stdout.split("\n").map((line) => line.slice(0, 110))).toEqual([
      "warning  /repo/.troupe/agents/b.md:5: effort: is not a known field and is ignored",
      "error  /repo/.troupe/agents/c.md:1: the frontmatter is not closed: add a line of --- after its fields",
      `error  /repo/.troupe/agents/a.md:5: tools: "Wirte": there is no such tool; did you mean Write?`,
      expect.stringMatching(/^error {2}\/repo\/\.troupe\/agents\/a\.md:4: model: There is no model "gpt"\./) as string,
      "warning  /repo/.troupe/agents/a.md:6: requiredMcpServers: the server db is not configured here",
      `warning  /repo/.troupe/agents/b.md:4: tools: "TodoWrite": there is no such tool here`,
      "",
    ]);
  });

  test("warnings alone exit with 0", () => {
    write("repo/.troupe/agents/b.md", agent("b", "tools: [Read, TodoWrite]\n"));
    const { status, stdout } = run(["validate", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      problems: [{ severity: "warning", line: 4, field: "tools" }],
    });
  });

  test("only the named files", () => {
    write("repo/.troupe/agents/bad.md", "no");
    const good = write("repo/draft.md", agent("draft"));
    expect(run(["validate", good]).status).toBe(0);
    const { status, stdout } = run(["validate", "draft.md", "gone.md"]);
    expect(status).toBe(1);
    expect(stdout).toBe("error  /repo/gone.md: there is no such file\n");
  });
});
