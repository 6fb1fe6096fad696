import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSampleRepository } from "../../src/cli/demo/sample-repository.ts";
import { whatWentWrong } from "../../src/cli/demo/what-went-wrong.ts";
import { makeWorkspace } from "../../src/cli/demo/workspace.ts";

const troupe = resolve(import.meta.dirname, "../../dist/troupe.js");
let temp: string;

beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "troupe-test-demo-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built demo with a temporary folder of its own; `until` is called with all output so far. */
function runDemo(args: readonly string[], until?: (seen: string, child: ReturnType<typeof spawn>) => void) {
  return new Promise<Ended>((done, fail) => {
    const child = spawn(process.execPath, [troupe, "demo", ...args], {
      cwd: temp,
      env: { ...process.env, TMPDIR: temp },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      until?.(stdout, child);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", fail).on("close", (code) => done({ code, stdout, stderr }));
  });
}

describe("troupe demo", () => {
  test("mends a failing test, asks before it commits, and leaves nothing behind", async () => {
    const { code, stdout, stderr } = await runDemo(["--fast"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^before +2 passed, 1 failed$/m);
    expect(stdout).toMatch(/^after +3 passed/m);
    expect(stdout).toMatch(/^commit +[0-9a-f]{7,} Let somebody pay/m);
    expect(stdout).toContain("src/split-bill.js | ");
    expect(stdout).toContain("? Allow $ git commit");
    expect(stdout).toContain("the demo answers: yes");
    expect(stdout.match(/side by side\)/g)).toHaveLength(2);
    expect(stdout).toContain("+  const left = totalCents % people;");
    expect(stdout).toMatch(/^tokens +[\d,]+ in, \d+% of them from the prompt cache/m);
    expect(readdirSync(temp)).toEqual([]);
  });

  test("piped, it has no colour and no line over 80 columns", async () => {
    const { stdout } = await runDemo(["--fast"]);
    // oxlint-disable-next-line no-control-regex -- escapes are what must not be there
    expect(stdout).not.toMatch(/[\u001b\r]/);
    const lines = stdout.split("\n").filter((line) => !line.startsWith("folder ")); // that one is there to be copied
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test("--keep keeps the repository and a session that can be looked at", async () => {
    const { code, stdout } = await runDemo(["--fast", "--keep"]);
    expect(code).toBe(0);
    const [root = ""] = readdirSync(temp);
    const repository = join(temp, root, "fair-share");
    const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" });
    expect(git("log", "--format=%s")).toBe("Let somebody pay every cent of a bill\nSplit a bill among friends\n");
    expect(git("status", "--porcelain")).toBe("");
    const id = /ses_[0-9a-z]+/.exec(stdout)?.[0] ?? "";
    const shown = execFileSync(process.execPath, [troupe, "sessions", "show", id], {
      encoding: "utf8",
      env: { ...process.env, TROUPE_HOME: join(temp, root, "home", ".troupe") },
    });
    expect(shown).toContain("Edit src/split-bill.js");
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s in the middle of it leaves nothing behind", async (signal, expected) => {
    let sent = false;
    const { code, stdout, stderr } = await runDemo([], (seen, child) => {
      if (sent || !seen.includes("side by side)")) return;
      sent = true;
      child.kill(signal);
    });
    expect(stderr).toBe("");
    expect(code).toBe(expected);
    expect(stdout).toContain("Stopped. What the demo had made is removed.");
    expect(stdout).not.toContain("before ");
    expect(readdirSync(temp)).toEqual([]);
  });

  test("a reader that goes away ends it, without a word and without a trace", async () => {
    const { code, stderr } = await runDemo([], (_seen, child) => child.stdout?.destroy());
    expect(stderr).toBe("");
    expect(code).toBe(141);
    expect(readdirSync(temp)).toEqual([]);
  });
});

describe("what the demo believes", () => {
  const red = { green: false, summary: "2 passed, 1 failed" };
  const green = { green: true, summary: "3 passed" };

  test.each([
    [{ before: red, after: green, outcome: { reason: "completed" } }, undefined],
    [{ before: red, after: red, outcome: { reason: "completed" } }, /not green at the end \(2 passed, 1 failed\)/],
    [{ before: green, after: green, outcome: { reason: "completed" } }, /passed before anything/],
    [{ before: red, after: green, outcome: { reason: "failed", detail: "no answer" } }, /ended early: no answer/],
    [{ before: red, after: green, outcome: undefined }, /ended early/],
  ] as const)("%j", (run, expected) => {
    const said = whatWentWrong(run);
    if (expected === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(expected);
  });

  test("the sample is red as it is made, and its tests are run for real", async () => {
    const workspace = await makeWorkspace(process.env);
    try {
      const signal = new AbortController().signal;
      const repository = await createSampleRepository(workspace, signal);
      expect(await repository.runTests(signal)).toEqual(red);
      rmSync(join(repository.path, "test"), { recursive: true });
      expect((await repository.runTests(signal)).green).toBe(false);
    } finally {
      await workspace.remove();
    }
  });
});
