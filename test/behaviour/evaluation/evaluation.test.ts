import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-evaluation-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const evaluate = (...args: readonly string[]) =>
  new Promise<{ stdout: string; stderr: string; status: number | string | null | undefined }>((done) =>
    execFile(process.execPath, [join(root, "eval/run.mjs"), ...args], { cwd: folder }, (error, stdout, stderr) =>
      done({ stdout, stderr, status: error === null ? 0 : error.code }),
    ),
  );

test("the hidden tests of every task fail at the start and pass with its solution", async () => {
  const { stdout, stderr, status } = await evaluate("--check");
  expect(stderr).toBe("");
  expect(stdout).toBe("20 tasks are sound.\n");
  expect(status).toBe(0);
});

test("one task in every way of working, on a scripted model", async () => {
  const file = join(folder, "results.json");
  const model = `scripted/${join(root, "eval/scripted-solver.mjs")}`;
  const { stdout, status } = await evaluate("--model", model, "--task", "shared-default", "--json", file);
  expect(stdout).toContain("passed");
  expect(status).toBe(0);
  const { results } = JSON.parse(readFileSync(file, "utf8")) as { results: object[] };
  expect(results).toHaveLength(4);
  for (const mode of ["solo", "subagents", "team", "coordinator"])
    expect(results).toContainEqual(
      expect.objectContaining({ task: "shared-default", mode, passed: true, exitCode: 0, wastedWakes: 0 }),
    );
});

test("a model that does nothing fails, and the output of the tests says why", async () => {
  writeFileSync(join(folder, "idle.json"), JSON.stringify({ version: 1, steps: [{ text: "I am done." }] }));
  const model = `scripted/${join(folder, "idle.json")}`;
  const { stdout, status } = await evaluate("--model", model, "--task", "lru-cache", "--mode", "solo");
  expect(status).toBe(1);
  expect(stdout).toContain("FAIL lru-cache, solo");
  expect(stdout).toContain("the least recently used entry goes");
  expect(stdout).toContain("0 of 1");
});

test.each([
  [[], "--model is missing."],
  [["--model", "x", "--task", "nope"], "There is no task nope."],
  [["--model", "x", "--mode", "nope"], "There is no mode nope."],
  [["--model", "x", "--runs", "0"], "--runs must be a number above 0."],
])("bad input: %j", async (args, message) => {
  const { stderr, status } = await evaluate(...args);
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});

interface Measure {
  add(envelope: object): void;
  figures(): { readonly turns: number; readonly wastedWakes: number };
}

test("a wake without a call is wasted, but not the first turn of an agent and not the last answer", async () => {
  const module = pathToFileURL(join(root, "eval/measure.mjs")).href;
  const { createMeasure } = (await import(module)) as { readonly createMeasure: () => Measure };
  const measure = createMeasure();
  const woken = (agent: string, source: string) => measure.add({ agent, event: { type: "prompt.admitted", source } });
  const answers = (agent: string) => measure.add({ agent, event: { type: "turn.ended", parts: [{ type: "text" }] } });
  for (const [agent, source] of [
    ["lead", "user"],
    ["scout", "mail"],
    ["lead", "mail"],
    ["scout", "mail"],
    ["lead", "agent"],
  ] as const) {
    woken(agent, source);
    answers(agent);
  }
  expect(measure.figures()).toMatchObject({ turns: 5, wastedWakes: 2 });
});

test("the path of a scripted model counts from the folder of the caller", async () => {
  writeFileSync(join(folder, "idle.json"), JSON.stringify({ version: 1, steps: [{ text: "I am done." }] }));
  const { stdout, status } = await evaluate("--model", "scripted/idle.json", "--task", "lru-cache", "--mode", "solo");
  expect(status).toBe(1);
  expect(stdout).toContain("FAIL lru-cache, solo");
  expect(stdout).not.toContain("made no turn");
});
