import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Envelope, Event } from "../../../src/protocol/index.ts";
import { type CoordinatorRun, coordinatorProblem } from "../../../demo/coordinator/coordinator-summary.ts";

const troupe = resolve(import.meta.dirname, "../../../dist/troupe.cjs");
let temp: string;

beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "troupe-test-coordinator-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** Runs the built demo with a temporary folder of its own; `until` is called with all output so far. */
function runDemo(args: readonly string[], until?: (seen: string, child: ReturnType<typeof spawn>) => void) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done, fail) => {
    const child = spawn(process.execPath, [troupe, "demo", "--coordinator", ...args], {
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

describe("troupe demo --coordinator", () => {
  test("research, synthesis, implementation, verification; and nothing is left behind", async () => {
    const { code, stdout, stderr } = await runDemo(["--fast"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const phase of ["Research", "Synthesis", "Implementation", "Verification"])
      expect(stdout).toMatch(new RegExp(`^  lead +● ${phase}: `, "m"));
    for (const name of ["tests", "code", "verify"])
      expect(stdout).toMatch(new RegExp(`^  ${name} +▶ .* \\(worker\\)$`, "m"));
    expect(stdout.match(/■ task-notification to the lead: completed/g)).toHaveLength(4);
    expect(stdout).toMatch(/^before +2 passed, 1 failed$/m);
    expect(stdout).toMatch(/^after +3 passed \(/m);
    expect(stdout).toMatch(/^shared +findings\.md, test-run\.txt/m);
    const lines = stdout.split("\n").filter((line) => !line.startsWith("folder ")); // that one is there to be copied
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
  });

  test("stopped, it leaves nothing behind", async () => {
    let sent = false;
    const { code, stdout, stderr } = await runDemo([], (seen, child) => {
      if (sent || !/code +▶/.test(seen)) return;
      sent = true;
      child.kill("SIGINT");
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    expect(stdout).toContain("Stopped. The files of the demo are removed.");
    expect(readdirSync(temp)).toEqual([]);
  });
});

describe("what the demo believes", () => {
  const shared = ["findings.md", "test-run.txt"];
  const at = (agent: string, event: object) => ({ agent, event: event as Event }) as Envelope;
  const envelopes = [
    at("lead", { type: "session.opened", coordinator: true }),
    at("lead", { type: "tool.called", name: "Agent" }),
    at("lead", { type: "tool.called", name: "SendMessage" }),
    at("a", { type: "tool.called", name: "Bash" }),
    ...["a", "b", "c"].map((name) => at(name, { type: "agent.spawned", parent: "lead", agentType: "worker" })),
    ...[1, 2, 3, 4].map(() => at("lead", { type: "prompt.admitted", source: "background", parts: [] })),
  ];
  const good: CoordinatorRun = {
    played: { envelopes, outcome: { reason: "completed", turns: 1 } },
    before: { green: false, summary: "2 passed, 1 failed" },
    after: { green: true, summary: "3 passed, 0 failed" },
    changed: ["src/discount.js", "src/total.js"],
  };
  const played = (more: readonly Envelope[]) => ({ ...good, played: { ...good.played, envelopes: more } });

  test.each<[string, CoordinatorRun, readonly string[] | undefined, RegExp | undefined]>([
    ["all is well", good, shared, undefined],
    ["green before", { ...good, before: good.after }, shared, /passed before any change/],
    ["red after", { ...good, after: good.before }, shared, /the tests fail at the end \(/],
    ["no end", { ...good, played: { envelopes, outcome: undefined } }, shared, /ended early/],
    [
      "its own hands",
      played([...envelopes, at("lead", { type: "tool.called", name: "Bash" })]),
      shared,
      /used Agent, Bash/,
    ],
    ["asked", played([...envelopes, at("a", { type: "permission.asked" })]), shared, /asked for permission/],
    [
      "no mode",
      played([at("lead", { type: "session.opened" }), ...envelopes]),
      shared,
      /did not run in coordinator mode/,
    ],
    ["a result missing", played(envelopes.slice(0, -1)), shared, /3 reports arrived/],
    ["too few workers", played(envelopes.filter(({ agent }) => agent !== "c")), shared, /2 workers/],
    ["nothing shared", good, undefined, /scratchpad contains nothing/],
    ["another file", { ...good, changed: ["till.js"] }, shared, /changed files are till\.js/],
  ])("%s", (_, run, files, expected) => {
    const said = coordinatorProblem(run, files);
    if (expected === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(expected);
  });
});
