import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessScope, type ProcessScope, systemClock } from "../../../src/platform/index.ts";
import { type AcceptanceCheckOptions, runAcceptanceChecks } from "../../../src/team/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

describe("promise 30: claimed and verified are two different states", () => {
  let processes: ProcessScope;
  beforeEach(() => {
    processes = createProcessScope();
  });
  afterEach(() => processes.close());

  const run = (checks: string[], options: Partial<AcceptanceCheckOptions> = {}) => {
    const env = { PATH: process.env["PATH"] ?? "", BASH_ENV: "/nonexistent" };
    const cwd = tempTree({ "done.txt": "yes\n" }).root;
    return runAcceptanceChecks(checks, { cwd, env, processes, clock: systemClock, timeoutMs: 20_000, ...options });
  };

  test("without checks the result is claimed", async () => {
    expect(await run([])).toEqual({ state: "claimed", checks: [] });
  });

  test("when all checks pass the result is verified, in the folder where the work was done", async () => {
    const { state, checks } = await run(["test -f done.txt", "grep yes done.txt"]);
    expect(state).toBe("verified");
    expect(checks).toMatchObject([
      { command: "test -f done.txt", passed: true, exitCode: 0, how: "exit code 0", tail: "" },
      { passed: true, tail: "yes" },
    ]);
  });

  test("when one check fails the result is refuted, and the other checks still run", async () => {
    const { state, checks } = await run(["echo out; echo err >&2; exit 3", "true"]);
    expect(state).toBe("refuted");
    expect(checks).toMatchObject([
      { passed: false, how: "exit code 3", tail: expect.stringMatching(/out[^]*err|err[^]*out/) },
      { passed: true },
    ]);
  });

  test("check that does not end is killed with its processes and has not passed", async () => {
    const { state, checks } = await run(["sleep 1000 & sleep 1000"], { timeoutMs: 300 });
    expect(state).toBe("refuted");
    expect(checks).toMatchObject([{ passed: false, how: "timeout after 0.3 s" }]);
  });

  test("check that cannot run proves nothing", async () => {
    const abort = new AbortController();
    abort.abort();
    expect(await run(["true", "false"], { signal: abort.signal })).toEqual({
      state: "claimed",
      checks: [],
      problem: "the checks were interrupted",
    });
    const nowhere = await run(["true"], { cwd: "/nonexistent" });
    expect(nowhere).toMatchObject({ state: "claimed", problem: expect.stringContaining("/nonexistent") });
  });

  test("only the end of a check's output is kept, without terminal control sequences", async () => {
    const { checks } = await run(["yes x | head -c 100000; printf '\\033[31mred\\033[0m'; exit 1"]);
    expect(checks[0]?.tail.length).toBeLessThanOrEqual(1_600);
    expect(checks[0]?.tail).toMatch(/^\[… 98,\d{3} characters before this are left out\]\nx\n/);
    expect(checks[0]?.tail.endsWith("red")).toBe(true);
  });
});
