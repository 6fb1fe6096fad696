import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bypass, workplace } from "../../support/cli/workplace.ts";

/** Processes that were started in `folder` or below, according to the kernel. */
function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        const state = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")[0];
        return environment.includes(folder) && state !== "Z";
      } catch {
        return false; // it ended in between
      }
    });
}

const allGone = (folder: string) => expect.poll(() => processesIn(folder)).toEqual([]);

const family = "(setsid sleep 600 &) ; (trap '' TERM; sleep 600) & sleep 600 & echo ready; sleep 600";
const slow = { version: 1, steps: [{ calls: [{ tool: "Bash", input: { command: family } }] }, { text: "done" }] };
const background = {
  version: 1,
  steps: [
    { calls: [{ tool: "Bash", input: { command: family, run_in_background: true } }] },
    { text: "left it running", delayMs: 600_000 },
  ],
};
const stream = ["--output-format", "stream-json", ...bypass];

describe("no process outlives its purpose", () => {
  test("SIGINT once: the command and its processes end, the call is interrupted, exit 130", async () => {
    const { start, write, home } = workplace();
    write("s.json", slow);
    const troupe = start(["-p", "go", "--model", "scripted/s.json", ...stream], { input: "" });
    await troupe.saw(/"tool\.progress".*ready/);
    troupe.child.kill("SIGINT");
    const { code, stdout } = await troupe.done;
    expect(code).toBe(130);
    expect(stdout).toContain('"outcome":"interrupted"');
    await allGone(home);
  });

  test("SIGINT twice exits at once, SIGTERM exits with 143; both close the session", async () => {
    for (const [signals, expected] of [
      [["SIGINT", "SIGINT"], 130],
      [["SIGTERM"], 143],
    ] as const) {
      const { start, write, home } = workplace();
      write("s.json", slow);
      const troupe = start(["-p", "go", "--model", "scripted/s.json", ...stream], { input: "" });
      await troupe.saw(/"tool\.progress".*ready/);
      for (const signal of signals) troupe.child.kill(signal);
      const { code, stdout } = await troupe.done;
      expect(code).toBe(expected);
      expect(stdout).toContain("session.closed");
      await allGone(home);
    }
  });

  test.each([
    ["in the foreground", slow],
    ["in the background", background],
  ])("kill -9 of troupe itself, with a command %s: no orphan is left", async (_name, script) => {
    const { start, write, home } = workplace();
    write("s.json", script);
    const troupe = start(["-p", "go", "--model", "scripted/s.json", ...stream], { input: "" });
    await troupe.saw(/"(tool\.progress|background\.output)".*ready/);
    expect(processesIn(home).length).toBeGreaterThan(3);
    troupe.child.kill("SIGKILL");
    await troupe.done;
    await allGone(home);
  });

  test("processes that a finished command left running end with the session", async () => {
    const { run, write, home } = workplace();
    write("s.json", {
      version: 1,
      steps: [{ calls: [{ tool: "Bash", input: { command: "sleep 600 & echo left" } }] }, { text: "done" }],
    });
    const { code } = await run(["-p", "go", "--model", "scripted/s.json", ...bypass]);
    expect(code).toBe(0);
    await allGone(home);
  });

  test("closed stdout pipe ends the run without a stack trace and without orphans", async () => {
    const { start, write, home } = workplace();
    write("s.json", slow);
    const troupe = start(["-p", "go", "--model", "scripted/s.json", "--verbose", ...stream], { input: "" });
    await troupe.saw(/"tool\.progress".*ready/);
    troupe.child.stdout?.destroy();
    troupe.child.kill("SIGINT");
    const { stderr } = await troupe.done;
    expect(stderr).not.toContain("EPIPE");
    await allGone(home);
  });
});

describe("background commands", () => {
  test("headless run waits for a background command, and the agent reads its result", async () => {
    const { run, write } = workplace();
    write("s.json", {
      version: 1,
      rules: [{ when: { said: "<task-notification>" }, answer: { text: "Heard: {{said:/<exit-code>(\\d+)/1}}" } }],
      steps: [
        { calls: [{ tool: "Bash", input: { command: "sleep 0.3; exit 7", run_in_background: true } }] },
        { text: "Started." },
      ],
    });
    const { code, stdout, stderr } = await run(["-p", "go", "--model", "scripted/s.json", ...bypass]);
    expect(stderr).toContain("waiting for background jobs:");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Heard: 7\n" });
  });

  test.each(["SIGKILL", "SIGTERM"] as const)(
    "command that ended with the program by %s says so after a restart",
    async (signal) => {
      const { run, start, write, home } = workplace();
      write("s.json", background);
      const troupe = start(["-p", "go", "--model", "scripted/s.json", ...stream], { input: "" });
      await troupe.saw(/"background\.output".*ready/);
      troupe.child.kill(signal);
      await troupe.done;
      await allGone(home);
      write("s.json", {
        version: 1,
        rules: [
          { when: { said: "<task-notification>" }, answer: { text: "{{said:/<status>killed<[^]*<reason>(.*)</1}}" } },
        ],
        steps: [{ text: "no notice" }],
      });
      const { stdout } = await run(["-p", "and now?", "--continue", ...bypass]);
      expect(stdout).toBe("the program ended, and the command with it\n");
    },
  );

  test("first SIGINT while only a background command runs ends the wait and the command, with the result", async () => {
    const { start, write, home } = workplace();
    write("s.json", {
      version: 1,
      steps: [
        { calls: [{ tool: "Bash", input: { command: family, run_in_background: true } }] },
        { text: "The server runs." },
      ],
    });
    const troupe = start(["-p", "go", "--model", "scripted/s.json", ...bypass], { input: "" });
    await troupe.saw(/waiting for background jobs:/, "stderr");
    troupe.child.kill("SIGINT");
    const { code, stdout, stderr } = await troupe.done;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The server runs.\n" });
    expect(stderr).toContain("stopped the background jobs:");
    await allGone(home);
  });
});

test("flood of output costs under 50 MB of memory, and its output file stays bounded", async () => {
  const { run, write, home } = workplace();
  const peak = { tool: "Bash", input: { command: "grep VmHWM /proc/$PPID/status" } };
  write(
    "s.mjs",
    `
    const peak = ${JSON.stringify(peak)};
    const results = [];
    export default (ask) => {
      if (ask.result) results.push(ask.result.text);
      if (ask.turn === 1 || ask.turn === 3) return { calls: [peak] };
      if (ask.turn === 2) return { calls: [{ tool: "Bash", input: { command: "yes | head -c 600000000" } }] };
      return { text: [results[0], results[2]].map((text) => /\\d+/.exec(text)[0]).join(" ") };
    };`,
  );
  const { stdout, stderr } = await run(["-p", "go", "--model", "scripted/s.mjs", ...bypass]);
  const [before, after] = stdout.trim().split(" ").map(Number) as [number, number];
  expect(stderr).toBe("");
  expect(after - before).toBeLessThan(50_000);
  const files = readdirSync(join(home, ".troupe"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const sizes = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)).length);
  expect(Math.max(...sizes)).toBeLessThan(70_000_000);
});
