import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { createSampleRepository } from "../../demo/team/sample-repository.ts";
import { type TeamRunOutcome, teamRunProblem } from "../../demo/team/check-team-result.ts";
import { createWorkspace } from "../../demo/shared/workspace.ts";
import type { Member, WorkItem } from "../../src/protocol/index.ts";
import { isSoak } from "../support/setup/soak-rounds.ts";

const troupe = resolve(import.meta.dirname, "../../dist/troupe.cjs");

/** A separate temporary folder for each test, because they run side by side. */
function temporary({ onTestFinished }: TestContext): string {
  const temp = mkdtempSync(join(tmpdir(), "troupe-test-demo-"));
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }));
  return temp;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  /** The folder in which it runs and creates everything. */
  readonly temp: string;
  /** Gets all output so far. */
  readonly until?: (seen: string, child: ChildProcess) => void;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the built demo until it or the test ends. */
function runDemo(args: readonly string[], { temp, until, env }: Run, { onTestFinished }: TestContext): Promise<Ended> {
  const child = spawn(process.execPath, [troupe, "demo", ...args], {
    cwd: temp,
    env: { ...process.env, TMPDIR: temp, TMUX_TMPDIR: temp, ...env },
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
  const ended = new Promise<Ended>((done, fail) =>
    child.on("error", fail).on("close", (code) => done({ code, stdout, stderr })),
  );
  // For a test that was aborted.
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return ended;
}

/** Lines about tasks, from the recording in the docs. Other lines depend on which agent is faster. */
function recordedLines(): string[] {
  const svg = readFileSync(new URL("../../docs/images/demo.svg", import.meta.url), "utf8").replaceAll("\u00a0", " ");
  const lines = [...svg.matchAll(/<text[^>]*>(.*?)<animate /g)].map(([, text = ""]) => text.replaceAll(/<[^>]*>/g, ""));
  const found = lines.filter((line) => /^ {2}(?:researcher|implementer|tester) +# /.test(line));
  expect(found.length).toBeGreaterThan(7);
  return found;
}

/** Processes that work in or below a folder, where the system can list them. */
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

const names = ["researcher", "implementer", "tester"];

/** The tmux sockets of this test. They have their own folder, so that a leftover server is visible. */
const sockets = (temp: string) => {
  const [folder] = readdirSync(temp).filter((name) => name.startsWith("tmux-"));
  return folder === undefined ? [] : readdirSync(join(temp, folder));
};
const left = (temp: string) => [
  ...readdirSync(temp).filter((name) => !/^tmux-|^bin$/.test(name)),
  ...sockets(temp),
  ...processesIn(temp),
];

/** With an old tmux, members run in the demo's own process. */
function pathWithOldTmux(temp: string): string {
  const bin = join(temp, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "tmux"), "#!/bin/sh\necho tmux 2.9\n", { mode: 0o755 });
  return `${bin}:${process.env["PATH"]}`;
}

/** Expects all that the demo promises, in whatever place the members run. */
function expectTheStory({ code, stdout, stderr }: Ended): void {
  expect(stderr).toBe("");
  expect(code).toBe(0);
  for (const name of names) {
    expect(stdout).toMatch(new RegExp(`^  ${name} +▶ joins, in `, "m"));
    expect(stdout).toMatch(new RegExp(`^  ${name} +→ team-lead: agrees to shut down$`, "m"));
    expect(stdout).toMatch(new RegExp(`^  ${name} +■ has ended: shutdown$`, "m"));
    expect(stdout).toMatch(new RegExp(`^(team)? +${name}: \\d+ turns, \\d+ calls, `, "m"));
  }
  expect(stdout).toMatch(/^ {2}researcher +→ implementer: each share is rounded/m);
  expect(stdout).toMatch(/^ {2}implementer → researcher: who pays/m);
  expect(stdout).toMatch(/^ {2}implementer → tester: fixed, on my branch$/m);
  expect(stdout).toMatch(/^ {2}tester +→ team-lead: proved/m);
  expect(stdout.match(/^ {2}implementer # #2 claimed: Fix the split$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^ {2}lead +# #2 released$/m);
  expect(stdout).toMatch(/^ {2}implementer ▶ is back and continues from its transcript$/m);
  expect(stdout.match(/^ {2}\S+ +# #[23] verified: the runtime ran its check$/gm)).toHaveLength(2);
  expect(stdout.match(/landed on main \(1 commit\)/g)).toHaveLength(2);
  expect(stdout).toMatch(/^tests +before: 3 passed, 1 failed; now: 5 passed/m);
  expect(stdout).toMatch(/^landed +[0-9a-f]{7,} Let every cent be paid$/m);
  expect(stdout).toMatch(/no worktrees\s+remain/);
  const [, sent, read] = /^mail +(\d+) sent, (\d+) read$/m.exec(stdout) ?? [];
  expect(Number(sent)).toBeGreaterThan(10);
  expect(read).toBe(sent);
}

describe.concurrent("troupe demo", () => {
  test("members run in their own processes; one is killed and resumes", async (context) => {
    const temp = temporary(context);
    const ended = await runDemo(["--fast"], { temp }, context);
    expectTheStory(ended);
    expect(ended.stdout).toMatch(/kills the process of implementer \(kill -9 \d+\)/);
    expect(ended.stdout).toContain("each member in a separate process");
    // `npm run docs:record` records the demo again.
    expect(recordedLines().filter((line) => !ended.stdout.includes(line))).toEqual([]);
    expect(left(temp)).toEqual([]);
  });

  test("without a usable tmux the demo runs in one process; --keep keeps files; piped output is plain", async (context) => {
    const temp = temporary(context);
    const ended = await runDemo(["--fast", "--keep"], { temp, env: { PATH: pathWithOldTmux(temp) } }, context);
    expectTheStory(ended);
    const { stdout } = ended;
    expect(stdout).toMatch(/^members +all in this process: tmux 2\.9 is too old/m);
    expect(stdout).toContain("stops implementer in the middle of a call");
    expect(processesIn(temp)).toEqual([]);
    expect(stdout.match(/^ {2}tester +\? asks: Allow \$ git merge --ff-only troupe\/[\w-]+-\w{4}\?$/gm)).toHaveLength(
      1,
    );
    expect(stdout.match(/^ {2}demo +! answers: yes, once$/gm)).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex -- escapes are what must not be there
    expect(stdout).not.toMatch(/[\u001b\r]/);
    // Two kinds of lines are there to be copied.
    const lines = stdout.split("\n").filter((line) => !/^folder |^ {2}(git|node|TROUPE_HOME=)/.test(line));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);

    const [root = ""] = readdirSync(temp).filter((name) => name.startsWith("troupe-demo-"));
    const repository = join(temp, root, "fair-share");
    const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" });
    expect(git("log", "--reverse", "--format=%s").trim().split("\n")).toEqual([
      "Split a bill among friends",
      "Let every cent be paid",
      "Try every bill up to five",
    ]);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git("branch", "--format=%(refname:short)")).toBe("main\n");

    const env = { ...process.env, TROUPE_HOME: join(temp, root, "home", ".troupe") };
    const shell = (...args: string[]) =>
      execFileSync(process.execPath, [troupe, ...args], { encoding: "utf8", env, cwd: repository });
    expect(shell("sessions", "show", /ses_[0-9a-z]+/.exec(stdout)?.[0] ?? "")).toContain("troupe land");
    expect(shell("team", "log", "demo")).toContain("to implementer: each share is rounded separately");
    expect(shell("tasks", "list", "--team", "demo", "--all").trim().split("\n")).toHaveLength(3);
    const { team } = JSON.parse(shell("team", "show", "demo", "--json")) as { team: { members: { ended?: object }[] } };
    expect(team.members.filter(({ ended }) => ended)).toHaveLength(3);
  });

  test.for([
    ["SIGINT", 130, "while members begin", [], /▶ joins/],
    ["SIGTERM", 143, "while one is dead", ["--fast"], /# #2 released/],
    ["SIGINT", 130, "while it lands", ["--fast"], /land both branches/],
  ] as const)("%s leaves nothing behind (%i, %s)", async ([signal, expected, _when, flags, moment], context) => {
    const temp = temporary(context);
    let sent = false;
    const until = (seen: string, child: ChildProcess) => {
      if (sent || !moment.test(seen)) return;
      sent = true;
      child.kill(signal);
    };
    const { code, stdout, stderr } = await runDemo(flags, { temp, until }, context);
    expect(stderr).toBe("");
    expect(code).toBe(expected);
    expect(stdout).toContain("Stopped. The files of the demo are removed.");
    expect(stdout).not.toMatch(/^landed /m);
    expect(left(temp)).toEqual([]);
  });

  test("with --web the dashboard shows the demo, and an interrupt ends both and leaves nothing behind", async (context) => {
    const temp = temporary(context);
    let page: Promise<Response> | undefined;
    let isEnding = false;
    const until = (seen: string, child: ChildProcess) => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+(?=\n)/.exec(seen) ?? [];
      if (address !== undefined) page ??= fetch(address, { redirect: "manual" });
      if (isEnding || !seen.includes("The dashboard stays open")) return;
      isEnding = true;
      child.kill("SIGINT");
    };
    const env = { PATH: pathWithOldTmux(temp) };
    const { code, stderr, stdout } = await runDemo(["--fast", "--web"], { temp, until, env }, context);
    expect(stderr).toBe("");
    expect((await page)?.status).toBe(303);
    expect(stdout).toContain("What to try next");
    expect(code).toBe(0);
    expect(left(temp)).toEqual([]);
  });

  test("closed output pipe ends the demo silently and leaves nothing behind", async (context) => {
    const temp = temporary(context);
    const until = (_seen: string, child: ChildProcess) => child.stdout?.destroy();
    const { code, stderr } = await runDemo([], { temp, until }, context);
    expect(stderr).toBe("");
    expect(code).toBe(141);
    expect(left(temp)).toEqual([]);
  });
});

describe.concurrent("troupe demo on a terminal", () => {
  /** Runs the demo on a pseudo terminal. `until` gets all output so far and the process that holds the terminal. */
  const onTerminal = (columns: number, { temp, until, env }: Run) => {
    const command = `stty cols ${columns}; exec '${process.execPath}' '${troupe}' demo --fast`;
    const holder = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: temp,
      env: { ...process.env, TMPDIR: temp, TMUX_TMPDIR: temp, TERM: "xterm-256color", NO_COLOR: "", ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let seen = "";
    holder.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
      until?.(seen, holder);
    });
    return new Promise<string>((done, fail) => holder.on("error", fail).on("close", () => done(seen)));
  };

  // Without a terminal the output has 80 columns, and a test above checks them.
  test.for(isSoak ? [80, 40] : [40])(
    "%i columns: each agent has its colour, and only lines to copy are longer",
    async (columns, context) => {
      const temp = temporary(context);
      const seen = await onTerminal(columns, { temp, env: { PATH: pathWithOldTmux(temp) } });
      // oxlint-disable-next-line no-control-regex -- colours and cleared lines
      const escapes = /\u001b\[[\d;]*[mK]/g;
      const colors = names.map((name) => new RegExp(`\\u001b\\[(\\d+)m *${name}\\b`).exec(seen)?.[1]);
      expect(new Set(colors)).toEqual(new Set(["33", "35", "94"]));
      // A temporary line is cleared before the next one is written, so only the last text between two newlines counts.
      const lines = seen.split(/\r?\n/).map((line) => (line.split("\r").at(-1) ?? "").replace(escapes, ""));
      const copied = /^folder |^ {2}node /;
      expect(lines.filter((line) => line.length > columns && !copied.test(line))).toEqual([]);
      expect(lines).toContainEqual(expect.stringMatching(/^mail +\d+ sent/));
      expect(left(temp)).toEqual([]);
    },
  );

  test("demo closed while agents work leaves nothing behind", async (context) => {
    const temp = temporary(context);
    await onTerminal(80, { temp, until: (seen, holder) => seen.includes("▶") && holder.kill("SIGKILL") });
    await context.expect.poll(() => left(temp)).toEqual([]);
  });
});

describe("how the demo judges its outcome", () => {
  const red = { green: false, summary: "3 passed, 1 failed" };
  const green = { green: true, summary: "5 passed" };
  const state = { commits: ["a", "b"], leftoverWorktrees: [] };
  const task = {
    id: 2,
    status: "completed",
    proof: "verified",
    acceptance: [{ command: "true" }],
  } as unknown as WorkItem;
  const member = { name: "tester", ended: { at: "", reason: "shutdown" } } as unknown as Member;
  const team = {
    members: [member],
    tasks: [task],
    mail: { sent: 3, read: 3 },
    startCounts: new Map([["tester", 2]]),
    stillRunning: [],
    answered: 1,
  };
  const good = { before: red, after: green, state, team };
  const but = (more: Partial<TeamRunOutcome["team"]>): TeamRunOutcome => ({ ...good, team: { ...team, ...more } });

  test.each<[TeamRunOutcome, RegExp | undefined]>([
    [good, undefined],
    [{ ...good, after: red }, /the tests fail at the end \(3 passed, 1 failed\)/],
    [{ ...good, before: green }, /passed before any change/],
    [{ ...good, state: { ...state, commits: ["a"] } }, /1 commits landed, not 2/],
    [
      { ...good, state: { ...state, leftoverWorktrees: ["troupe/agent-1"] } },
      /not everything was removed: troupe\/agent-1/,
    ],
    [but({ members: [] }), /there was no team/],
    [but({ members: [{ ...member, ended: undefined }] }), /tester did not agree to shut down \(it did not end\)/],
    [but({ members: [{ ...member, ended: { at: "", reason: "killed" } }] }), /did not agree to shut down \(killed\)/],
    [but({ stillRunning: ["tester"] }), /still running: tester/],
    [but({ tasks: [] }), /there were no tasks/],
    [but({ tasks: [{ ...task, status: "in_progress" }] }), /task #2 is in_progress/],
    [but({ tasks: [{ ...task, proof: "claimed" }] }), /task #2 is not verified/],
    [but({ mail: { sent: 3, read: 2 } }), /1 of 3 messages were not read/],
    [but({ answered: 0 }), /no agent asked for permission/],
    [but({ startCounts: new Map([["tester", 1]]) }), /no member died and came back/],
  ])("%#", (run, expected) => {
    const said = teamRunProblem(run);
    if (expected === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(expected);
  });

  test("sample app fails as created, and its tests really run", async () => {
    const workspace = await createWorkspace(process.env, troupe);
    try {
      const signal = new AbortController().signal;
      const repository = await createSampleRepository(workspace, signal);
      expect(await repository.runTests(signal)).toEqual(red);
      expect(await repository.readState()).toEqual({ commits: [], changed: "", leftoverWorktrees: [] });
      rmSync(join(repository.path, "test"), { recursive: true });
      expect((await repository.runTests(signal)).green).toBe(false);
    } finally {
      await workspace.remove();
    }
  });
});
