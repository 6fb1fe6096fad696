import { execFileSync } from "node:child_process";
import { utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { globPattern } from "../../../src/tool/permissions/glob-pattern.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

const call = async (name: string, input: Record<string, unknown>) => {
  const outcome = await bench.call(name, input);
  return `${outcome.outcome}: ${bench.text(outcome)}`;
};

function project() {
  execFileSync("git", ["init", "-q", bench.folder]);
  bench.write(".gitignore", "node_modules/\n*.log\n");
  const files = [
    "src/a.ts",
    "src/deep/b.ts",
    "src/c.js",
    "node_modules/x/index.ts",
    "out.log",
    ".hidden/d.ts",
    "name with [x].ts",
  ];
  for (const [index, name] of files.entries()) {
    utimesSync(bench.write(name, `line one\nhas needle ${index}\nline three\n`), 1000 + index, 1000 + index);
  }
}

describe("files that must not be read", () => {
  const secrets = () => {
    bench.write(".gitignore", ".env\n");
    bench.write(".env", "KEY=canary\n");
    bench.write("conf/key.pem", "KEY=canary\n");
    bench.write("private/a.ts", "KEY=private\n");
    bench.write("a.ts", "KEY=shown\n");
  };
  it.each([
    { glob: ".env", output_mode: "content" },
    { glob: ".e*", output_mode: "content" },
    { glob: "*.pem", output_mode: "content" },
    { output_mode: "content", "-C": 2, "-n": false },
    { output_mode: "count" },
    {},
  ])("Grep leaves secrets out: %j", async (more) => {
    secrets();
    const text = await call("Grep", { pattern: "KEY", ...more });
    expect(text).not.toMatch(/canary|\.env|pem:/);
  });
  it("Grep shows a file with secrets that the call names, for which the user is asked", async () => {
    secrets();
    expect(await call("Grep", { pattern: "KEY", path: ".env", output_mode: "content" })).toContain("canary");
  });
  it("Grep and Glob leave out what a rule denies", async () => {
    secrets();
    const agent = { ...bench.context.agent, isDenied: (path: string) => path.startsWith(bench.path("private")) };
    Object.assign(bench.context, { agent });
    expect(await call("Grep", { pattern: "KEY", output_mode: "content" })).toBe("ok: a.ts:1:KEY=shown");
    expect(await call("Glob", { pattern: "**/*.ts" })).toBe("ok: a.ts");
  });
});

describe("Glob", () => {
  it.each([
    ["**/*.ts", ["name with [x].ts", ".hidden/d.ts", "src/deep/b.ts", "src/a.ts"]],
    ["*.ts", ["name with [x].ts", ".hidden/d.ts", "src/deep/b.ts", "src/a.ts"]],
    ["src/*.ts", ["src/a.ts"]],
    ["src/**/*.{ts,js}", ["src/c.js", "src/deep/b.ts", "src/a.ts"]],
    ["src/[ab].?s", ["src/a.ts"]],
    ["node_modules/x/*.ts", ["node_modules/x/index.ts"]],
    ["src/a.ts", ["src/a.ts"]],
  ])("%s", async (pattern, expected) => {
    project();
    expect(await call("Glob", { pattern })).toBe(`ok: ${expected.join("\n")}`);
  });

  it("searches in the given folder", async () => {
    project();
    expect(await call("Glob", { pattern: "*.ts", path: "src/deep" })).toBe("ok: src/deep/b.ts");
    expect(await call("Glob", { pattern: `${bench.folder}/src/*.js` })).toBe("ok: src/c.js");
  });

  it("returns at most a hundred, and says so", async () => {
    for (let i = 0; i < 130; i++) bench.write(`f${i}.txt`, "");
    const text = await call("Glob", { pattern: "*.txt" });
    expect(text.split("\n").filter((line) => /^(ok: )?f\d+\.txt$/.test(line))).toHaveLength(100);
    expect(text).toMatch(/\[30 more files match\. Narrow the pattern to see them\.\]$/);
  });

  it("says why it found nothing", async () => {
    project();
    const said = [
      await call("Glob", { pattern: "*.log" }),
      await call("Glob", { pattern: "a{b" }),
      await call("Glob", { pattern: "*", path: "nowhere" }),
      await call("Glob", { pattern: "*", path: "src/a.ts" }),
    ];
    expect(said.join("\n")).toMatchInlineSnapshot(`
      "ok: No file in . matches *.log. Files excluded by .gitignore were not searched.
      failed: a{b is not a valid pattern: a [ or { in it is not closed.
      failed: DIR/nowhere does not exist.
      failed: DIR/src/a.ts is a file, not a directory. Read it instead."
    `);
  });
});

describe("globPattern", () => {
  it.each([
    ["a/**", "a/b/c", true],
    ["a/**", "b/a/c", false],
    ["**/a", "a", true],
    ["**/a", "x/y/a", true],
    ["a*b", "a/b", false],
    ["a**b", "a/b", true],
    ["[!a]", "b", true],
    ["[!a]", "/", false],
    ["[]]", "]", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["a.b", "axb", false],
    ["{a,b/**}/c", "b/x/c", true],
    ["?", "😀", true],
    ["(x)+$", "(x)+$", true],
  ])("%s on %s: %s", (pattern, path, matches) => {
    expect(globPattern(pattern)?.test(path)).toBe(matches);
  });
});

describe("Grep", () => {
  it("returns paths, lines or counts", async () => {
    project();
    expect(await call("Grep", { pattern: "needle" })).toBe(
      "ok: .hidden/d.ts\nname with [x].ts\nsrc/a.ts\nsrc/c.js\nsrc/deep/b.ts",
    );
    expect(await call("Grep", { pattern: "NEEDLE \\d", "-i": true, type: "js", output_mode: "content", "-C": 1 })).toBe(
      "ok: src/c.js-1-line one\nsrc/c.js:2:has needle 2\nsrc/c.js-3-line three",
    );
    expect(await call("Grep", { pattern: "line", path: "src", glob: "a.*", output_mode: "count" })).toBe(
      "ok: src/a.ts:2",
    );
    const content = { output_mode: "content", "-n": false };
    expect(await call("Grep", { pattern: "one.has", path: "src/a.ts", multiline: true, ...content })).toBe(
      "ok: src/a.ts:line one\nsrc/a.ts:has needle 0",
    );
    expect(await call("Grep", { pattern: "--files", path: "src" })).toBe("ok: No match in src.");
  });

  it("stops at its limit", async () => {
    bench.write("many.txt", "x\n".repeat(100_000));
    const text = await call("Grep", { pattern: "x", output_mode: "content", head_limit: 3 });
    expect(text).toBe(
      "ok: many.txt:1:x\nmany.txt:2:x\nmany.txt:3:x\n\n[Only the first 3 lines are shown. Narrow the search, or raise head_limit.]",
    );
  });

  it("says what is wrong", async () => {
    project();
    const said = [
      await call("Grep", { pattern: "a(b" }),
      await call("Grep", { pattern: "a", type: "klingon" }),
      await call("Grep", { pattern: "a", type: "javascript" }),
      await call("Grep", { pattern: "a(?=b)" }),
      await call("Grep", { pattern: "a", path: "nowhere" }),
      await call("Grep", { pattern: "a", output_mode: "lines" }),
    ];
    expect(said.join("\n")).toMatchSnapshot();
  });

  it("ends with an abort", async () => {
    await expect(bench.call("Grep", { pattern: "x" }, AbortSignal.abort())).resolves.toMatchObject({
      outcome: "interrupted",
    });
  });
});
