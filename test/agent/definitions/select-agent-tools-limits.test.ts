import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { selectAgentTools } from "../../../src/agent/definitions/index.ts";
import { executeTool, parseInput, type Tool } from "../../../src/tool/index.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";
import { pool } from "../../support/tools/tool-pool.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

function toolOf(name: string, lists: { tools?: string[]; disallowedTools?: string[] }): Tool {
  const { tools, reports } = selectAgentTools({
    definition: lists,
    pool,
    kind: "foreground",
    mode: "bypassPermissions",
    userDefined: true,
  });
  expect(reports).toEqual([]);
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no ${name}`);
  return tool;
}

/** Calls the tool as an agent that never asks. Calls outside the definition are refused all the same. */
async function call(tool: Tool, input: unknown): Promise<string> {
  const parsed = parseInput(tool, input);
  if (!parsed.ok) throw new Error(parsed.message);
  const early = tool.refuse?.(parsed.value, bench.context);
  const outcome = await executeTool(tool, parsed.value, bench.context);
  const text = bench.text(outcome);
  expect(early !== undefined).toBe(text.includes("may not make this call"));
  return `${outcome.outcome}: ${text}`;
}

describe("Bash(git diff:*)", () => {
  const tools = ["Bash(git diff:*)", "Bash(git log:*)"];

  test.each(["git diff", "git diff --stat", "git diff && git log --oneline", "cd . && git log -1"])(
    "%s runs",
    async (command) => {
      execFileSync("git", ["init", "-q", bench.folder]);
      bench.write("a.txt", "a");
      const git = ["-C", bench.folder, "-c", "user.name=t", "-c", "user.email=t@t"];
      execFileSync("git", [...git, "add", "."]);
      execFileSync("git", [...git, "commit", "-q", "-m", "one"]);
      expect(await call(toolOf("Bash", { tools }), { command })).toMatch(/^ok/);
    },
  );

  test.each([
    "git push",
    "touch owned",
    "ls",
    "git diff | head",
    "git diff; touch owned",
    "git diff && touch owned",
    "git diff $(touch owned)",
    "git diff `touch owned`",
    "git diff > owned",
    "git diff --output=owned",
    "git -c alias.diff='!touch owned' diff",
    "GIT_EXTERNAL_DIFF='touch owned' git diff",
    "env git diff",
    "bash -c 'git diff; touch owned'",
    "git difftool",
    "git diff\ntouch owned",
  ])("%s is refused, and no part of it runs", async (command) => {
    const result = await call(toolOf("Bash", { tools }), { command });
    expect(result).toMatch(/^failed: This agent may not make this call of Bash: /);
    expect(result).toContain("only for calls that match: Bash(git diff:*), Bash(git log:*)");
    expect(existsSync(bench.path("owned"))).toBe(false);
  });

  test("the description states the limit, and the tool keeps its name and input", () => {
    const [whole] = pool.filter(({ name }) => name === "Bash");
    const limited = toolOf("Bash", { tools });
    expect(limited.description).toMatch(/^Runs a command line in bash/);
    expect(limited.description).toContain(
      `\n\nYou may use it only for calls that match: Bash(git diff:*), Bash(git log:*). Every command of a line must match.`,
    );
    expect(limited.input).toBe(whole?.input);
  });
});

test("a tool listed without a limit is not limited", () => {
  const whole = pool.find(({ name }) => name === "Bash");
  for (const tools of [["Bash(git diff:*)", "Bash"], ["Bash(*)"], ["*", "Bash(git diff:*)"]]) {
    const tool = toolOf("Bash", { tools });
    expect(tool.execute).toBe(whole?.execute);
    expect(tool.description).not.toContain("You may use it only");
  }
});

test("Read(./src/**) reads only there, even through links", async () => {
  bench.write("src/a.txt", "inside");
  bench.write("b.txt", "outside");
  symlinkSync(bench.path("b.txt"), bench.path("src/link.txt"));
  const tool = toolOf("Read", { tools: ["Read(./src/**)"] });
  expect(await call(tool, { file_path: "src/a.txt" })).toMatch(/^ok/);
  for (const file_path of ["b.txt", "src/../b.txt", "src/link.txt", "/etc/passwd", "~/x"]) {
    expect(await call(tool, { file_path })).toMatch(/^failed: This agent may not make this call of Read: /);
  }
});

test("Write(docs/**) does not allow Edit", async () => {
  const { tools } = selectAgentTools({
    definition: { tools: ["Write(docs/**)"] },
    pool,
    kind: "foreground",
    mode: "default",
    userDefined: true,
  });
  expect(tools.map(({ name }) => name)).toEqual(["Write"]);
  expect(await call(toolOf("Write", { tools: ["Write(docs/**)"] }), { file_path: "x.txt", content: "" })).toMatch(
    /^failed/,
  );
  expect(existsSync(bench.path("x.txt"))).toBe(false);
});

test("WebFetch(domain:example.com) reaches no other host", async () => {
  const tool = toolOf("WebFetch", { tools: ["WebFetch(domain:example.com)"] });
  expect(tool.refuse?.({ url: "https://example.com/a" }, bench.context)).toBeUndefined();
  expect(tool.refuse?.({ url: "https://example.com.evil.test/" }, bench.context)).toContain(
    "This agent may not make this call of WebFetch: ",
  );
});

test.each([["Agent(Explore, Plan)"], ["Task(Explore),Agent(Plan)"]])("%s starts only those types", async (text) => {
  const tools = text.includes("Task") ? text.split(",") : [text];
  const tool = toolOf("Agent", { tools });
  expect(await call(tool, { type: "Explore" })).toBe("ok: done");
  expect(await call(tool, { type: "Plan" })).toBe("ok: done");
  expect(await call(tool, { type: "worker" })).toMatch(/^failed/);
  expect(await call(tool, {})).toMatch(/^failed/);
});

describe("rule in disallowedTools removes only matching calls", () => {
  test("commands", async () => {
    const tool = toolOf("Bash", { disallowedTools: ["Bash(touch:*)", "Bash(git push:*)"] });
    expect(await call(tool, { command: "echo hello" })).toMatch(/^ok: hello/);
    for (const command of [
      "touch owned",
      "echo a; touch owned",
      "env touch owned",
      "bash -c 'touch owned'",
      "$(echo touch) owned",
    ]) {
      expect(await call(tool, { command })).toMatch(/^failed: This agent may not make this call of Bash: /);
    }
    expect(existsSync(bench.path("owned"))).toBe(false);
  });

  test("files", async () => {
    bench.write("src/a.txt", "a");
    bench.write("src/private/b.txt", "b");
    const tool = toolOf("Read", { tools: ["Read(src/**)"], disallowedTools: ["Read(src/private/**)"] });
    expect(await call(tool, { file_path: "src/a.txt" })).toMatch(/^ok/);
    expect(await call(tool, { file_path: "src/private/b.txt" })).toContain("Read(src/private/**) is excluded");
  });

  test("a rule that cannot be parsed removes the whole tool", () => {
    const { tools, reports } = selectAgentTools({
      definition: { disallowedTools: ["Bash(rm", "mcp__db__query(x)"] },
      pool,
      kind: "foreground",
      mode: "default",
      userDefined: true,
    });
    const names = tools.map(({ name }) => name);
    expect(names).not.toContain("Bash");
    expect(names).not.toContain("mcp__db__query");
    expect(names).toContain("mcp__db__write");
    expect(reports.map(({ entry }) => entry)).toEqual(["Bash(rm", "mcp__db__query(x)"]);
  });
});
