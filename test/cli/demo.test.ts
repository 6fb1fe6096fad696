import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSampleRepository } from "../../src/cli/demo/sample-repository.ts";
import { whatWentWrong } from "../../src/cli/demo/what-went-wrong.ts";
import { makeWorkspace } from "../../src/cli/demo/workspace.ts";

const troupe = resolve(import.meta.dirname, "../../dist/troupe.cjs");
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

/** Processes that work in a folder below, where that can be told. */
function processesIn(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) && pid !== String(process.pid);
    } catch (error) {
      if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  });
}

const names = ["split", "parse", "format"];

describe("troupe demo", () => {
  test("three agents mend three faults, their work is landed, and nothing is left behind", async () => {
    const { code, stdout, stderr } = await runDemo(["--fast"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^before +4 passed, 3 failed$/m);
    expect(stdout).toMatch(/^after +7 passed \(run again/m);
    expect(stdout).toMatch(/^landed +[0-9a-f]{7,} Let somebody pay every cent/m);
    expect(stdout).toMatch(/^worktrees all removed/m);
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +▶ .* on troupe/agent-[0-9a-z]{8}$`, "m"));
      expect(stdout).toMatch(new RegExp(`^  ${name} +■ back after`, "m"));
      expect(stdout).toMatch(new RegExp(`^${name} +5 turns, 5 calls, [\\d,]+ tokens \\(\\d+% cached\\), troupe/`, "m"));
    }
    expect(stdout.match(/ran:\s+node\s+--test\s+\(exit\s+0\),\s+git\s+commit\s+\(exit\s+0\)/g)).toHaveLength(3);
    expect(stdout.match(/landed on main \(1 commit\)/g)).toHaveLength(3);
    expect(readdirSync(temp)).toEqual([]);
    expect(processesIn(temp)).toEqual([]);
  });

  test("it asks once, before the landing; piped, it has no colour and no line over 80 columns", async () => {
    const { stdout } = await runDemo(["--fast"]);
    expect(stdout.match(/^ *\S* *\? Allow .*$/gm)).toEqual([
      expect.stringContaining("? Allow $ troupe land troupe/agent-"),
    ]);
    expect(stdout.match(/the demo answers: yes/g)).toHaveLength(1);
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
    expect(git("log", "--reverse", "--format=%s").trim().split("\n")).toEqual([
      "Split a bill among friends",
      "Let somebody pay every cent of a bill",
      "Read amounts to the nearest cent",
      "Write cents with two digits",
    ]);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git("branch", "--format=%(refname:short)")).toBe("main\n");

    const home = join(temp, root, "home", ".troupe");
    const id = /ses_[0-9a-z]+/.exec(stdout)?.[0] ?? "";
    const env = { ...process.env, TROUPE_HOME: home };
    const shown = execFileSync(process.execPath, [troupe, "sessions", "show", id], { encoding: "utf8", env });
    expect(shown).toContain("troupe land");
    const cost = execFileSync(process.execPath, [troupe, "cost", id], { encoding: "utf8", env, cwd: repository });
    for (const name of names) expect(cost).toContain(`lead/${name}`);
    expect(agentCalls(home, id)).toEqual(["called", "called", "called", "settled", "settled", "settled"]);
  });

  test.each([
    ["SIGINT", 130, "while agents work", [], /format +▶/],
    ["SIGTERM", 143, "while agents work", [], /split +✓ Edit/],
    ["SIGINT", 130, "while it lands", ["--fast"], /the demo answers: yes/],
  ] as const)("%s leaves nothing behind (%i, %s)", async (signal, expected, _when, flags, moment) => {
    let sent = false;
    const { code, stdout, stderr } = await runDemo(flags, (seen, child) => {
      if (sent || !moment.test(seen)) return;
      sent = true;
      child.kill(signal);
    });
    expect(stderr).toBe("");
    expect(code).toBe(expected);
    expect(stdout).toContain("Stopped. What the demo had made is removed.");
    expect(stdout).not.toMatch(/^before /m);
    expect(readdirSync(temp)).toEqual([]);
    expect(processesIn(temp)).toEqual([]);
  });

  test("a reader that goes away ends it, without a word and without a trace", async () => {
    const { code, stderr } = await runDemo([], (_seen, child) => child.stdout?.destroy());
    expect(stderr).toBe("");
    expect(code).toBe(141);
    expect(readdirSync(temp)).toEqual([]);
    expect(processesIn(temp)).toEqual([]);
  });
});

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasScript)("troupe demo on a terminal", () => {
  /** On a pseudo terminal; `until` gets all output so far, and the process that holds the terminal. */
  const onTerminal = (columns: number, until: (seen: string, holder: ReturnType<typeof spawn>) => void) => {
    const command = `stty cols ${columns}; exec '${process.execPath}' '${troupe}' demo --fast`;
    const holder = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: temp,
      env: { ...process.env, TMPDIR: temp, TERM: "xterm-256color", NO_COLOR: "" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let seen = "";
    holder.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
      until(seen, holder);
    });
    return new Promise<string>((done, fail) => holder.on("error", fail).on("close", () => done(seen)));
  };

  test.each([80, 40])(
    "%i columns: each agent has its colour, and nothing but what is there to be copied is longer",
    async (columns) => {
      const seen = await onTerminal(columns, () => undefined);
      // oxlint-disable-next-line no-control-regex -- colours and cleared lines
      const escapes = /\u001b\[[\d;]*[mK]/g;
      const colors = names.map((name) => new RegExp(`\\u001b\\[(\\d+)m  ${name} `).exec(seen)?.[1]);
      expect(new Set(colors)).toEqual(new Set(["33", "35", "94"]));
      // A passing line is cleared before the next is written: of what stands between two newlines, the last counts.
      const lines = seen.split(/\r?\n/).map((line) => (line.split("\r").at(-1) ?? "").replace(escapes, ""));
      const copied = /^folder |^ {2}(node|troupe|\/)/;
      expect(lines.filter((line) => line.length > columns && !copied.test(line))).toEqual([]);
      expect(lines).toContainEqual(expect.stringMatching(/^after +7 passed/));
      expect(readdirSync(temp)).toEqual([]);
    },
  );

  test("closed while agents work, it leaves nothing behind", async () => {
    await onTerminal(80, (seen, holder) => seen.includes("▶") && holder.kill("SIGKILL"));
    await expect.poll(() => [...readdirSync(temp), ...processesIn(temp)], { timeout: 20_000 }).toEqual([]);
  });
});

/** What the lead's log says of its Agent calls, in order. */
function agentCalls(home: string, session: string): string[] {
  const [project = ""] = readdirSync(join(home, "projects"));
  const log = readFileSync(join(home, "projects", project, `${session}.jsonl`), "utf8");
  const events = log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { event?: { type: string; name?: string; callId?: string } }).event);
  const calls = new Set(events.flatMap((it) => (it?.type === "tool.called" && it.name === "Agent" ? [it.callId] : [])));
  return events.flatMap((it) =>
    (it?.type === "tool.called" || it?.type === "tool.settled") && calls.has(it.callId) ? [it.type.slice(5)] : [],
  );
}

describe("what the demo believes", () => {
  const red = { green: false, summary: "4 passed, 3 failed" };
  const green = { green: true, summary: "7 passed" };
  const state = { commits: ["a", "b", "c"], leftOver: [] };
  const outcome = { reason: "completed" } as const;
  const good = { before: red, after: green, state, outcome };

  test.each([
    [good, undefined],
    [{ ...good, after: red }, /not green at the end \(4 passed, 3 failed\)/],
    [{ ...good, before: green }, /passed before anything/],
    [{ ...good, outcome: { reason: "failed", detail: "no answer" } as const }, /ended early: no answer/],
    [{ ...good, outcome: undefined }, /ended early/],
    [{ ...good, state: { ...state, commits: ["a", "b"] } }, /2 commits landed, not 3/],
    [{ ...good, state: { ...state, leftOver: ["troupe/agent-1"] } }, /not everything was removed: troupe\/agent-1/],
  ])("%j", (run, expected) => {
    const said = whatWentWrong(run);
    if (expected === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(expected);
  });

  test("the sample is red as it is made, and its tests are run for real", async () => {
    const workspace = await makeWorkspace(process.env, troupe);
    try {
      const signal = new AbortController().signal;
      const repository = await createSampleRepository(workspace, signal);
      expect(await repository.runTests(signal)).toEqual(red);
      expect(await repository.look()).toEqual({ commits: [], changed: "", leftOver: [] });
      rmSync(join(repository.path, "test"), { recursive: true });
      expect((await repository.runTests(signal)).green).toBe(false);
    } finally {
      await workspace.remove();
    }
  });
});
