import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessScope, type ProcessScope, systemClock } from "../../src/platform/index.ts";
import { type AcceptanceOptions, createWorktree, diffStat, diffWords, runAcceptance } from "../../src/team/index.ts";
import { tempTree } from "../session/temp-tree.ts";
import { newAgentId, testRepository } from "./repository.ts";

describe("promise 30: claimed and verified are two different states", () => {
  let processes: ProcessScope;
  beforeEach(() => {
    processes = createProcessScope();
  });
  afterEach(() => processes.close());

  const run = (checks: string[], options: Partial<AcceptanceOptions> = {}) => {
    const env = { PATH: process.env["PATH"] ?? "", BASH_ENV: "/nonexistent" };
    const cwd = tempTree({ "done.txt": "yes\n" }).root;
    return runAcceptance(checks, { cwd, env, processes, clock: systemClock, timeoutMs: 20_000, ...options });
  };

  test("no checks: it is claimed", async () => {
    expect(await run([])).toEqual({ state: "claimed", checks: [] });
  });

  test("all pass: it is verified, in the folder where it was done", async () => {
    const { state, checks } = await run(["test -f done.txt", "grep yes done.txt"]);
    expect(state).toBe("verified");
    expect(checks).toMatchObject([
      { command: "test -f done.txt", passed: true, exitCode: 0, how: "exit code 0", tail: "" },
      { passed: true, tail: "yes" },
    ]);
  });

  test("one does not: it is refuted, and the others are run all the same", async () => {
    const { state, checks } = await run(["echo out; echo err >&2; exit 3", "true"]);
    expect(state).toBe("refuted");
    expect(checks).toMatchObject([
      { passed: false, how: "exit code 3", tail: expect.stringMatching(/out[^]*err|err[^]*out/) },
      { passed: true },
    ]);
  });

  test("one that does not end is ended, with all it started, and has not passed", async () => {
    const { state, checks } = await run(["sleep 1000 & sleep 1000"], { timeoutMs: 300 });
    expect(state).toBe("refuted");
    expect(checks).toMatchObject([{ passed: false, how: "no end after 0.3 s" }]);
  });

  test("what could not be run proves nothing", async () => {
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

  test("only the end of what it says is kept, without what a terminal would obey", async () => {
    const { checks } = await run(["yes x | head -c 100000; printf '\\033[31mred\\033[0m'; exit 1"]);
    expect(checks[0]?.tail.length).toBeLessThanOrEqual(4_000);
    expect(checks[0]?.tail.endsWith("red")).toBe(true);
  });
});

describe("what a worktree has that its base has not", () => {
  test("commits, changes, new files, binary ones, and nothing that is ignored", async () => {
    const repository = testRepository();
    repository.commit("more", { "b.txt": "1\n2\n3\n", "gone.txt": "x\n" });
    const { path, base } = await createWorktree(repository.place, { agentId: newAgentId() });
    expect(await diffStat(repository.place, { path, base })).toEqual({ files: [], added: 0, removed: 0 });

    const inTree = (name: string, text: string) => writeFileSync(join(path, name), text);
    repository.commit("work", { "a.txt": "one\ntwo\n" }, path);
    inTree("b.txt", "1\n3\n");
    inTree("new\tname.txt", "no newline at the end");
    inTree("new.bin", "a\0b");
    inTree(".env", "SECRET=1\n");
    repository.gitIn(path, "rm", "-q", "gone.txt");
    // What the repository's own config names is not run.
    repository.git("config", "filter.evil.clean", "touch evil");
    inTree(".gitattributes", "b.txt filter=evil\n");

    const { files, added, removed } = await diffStat(repository.place, { path, base });
    expect(Object.fromEntries(files.map((file) => [file.path, [file.added, file.removed]]))).toEqual({
      "a.txt": [1, 0],
      "b.txt": [0, 1],
      "gone.txt": [0, 1],
      "new.bin": [null, null],
      "new\tname.txt": [1, 0],
      ".gitattributes": [1, 0],
    });
    expect({ added, removed }).toEqual({ added: 3, removed: 2 });
    await expect(diffStat(repository.place, { path: repository.root, base })).rejects.toThrow("is no worktree of");
    expect(await diffWords(repository.place, { path, base })).toMatch(/^diff: \d+ files, \+\d+ -\d+: /);
    expect(await diffWords(repository.place, { path: repository.root, base })).toMatch(
      /^diff: not known \(.*is no worktree/,
    );
  });
});
