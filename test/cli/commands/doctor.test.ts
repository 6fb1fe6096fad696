import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { runChecks } from "../../../src/cli/doctor/run-checks.ts";
import type { Machine } from "../../../src/cli/doctor/inspect-machine.ts";
import { node, terminal } from "../../../src/cli/doctor/check-environment.ts";

const troupe = resolve(import.meta.dirname, "../../../dist/troupe.cjs");
const secret = "sk-ant-do-not-show-me";

const Report = z.object({
  ok: z.boolean(),
  findings: z.array(
    z.object({
      name: z.string(),
      status: z.enum(["ok", "missing", "problem"]),
      detail: z.string(),
      advice: z.string().optional(),
      blocks: z.boolean(),
    }),
  ),
});

let temp: string;
let home: string;
let cwd: string;

beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "troupe-test-doctor-"));
  home = join(temp, "home");
  cwd = join(temp, "project");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(cwd);
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

function run(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [troupe, ...args], {
    cwd,
    encoding: "utf8",
    input: "",
    env: { PATH: process.env["PATH"] ?? "", HOME: temp, TROUPE_HOME: home, ...env },
  });
  return { status, stdout, stderr };
}

function examine(env: Record<string, string> = {}) {
  const { status, stdout, stderr } = run(["doctor", "--json"], env);
  expect(stderr).toBe("");
  const report = Report.parse(JSON.parse(stdout));
  expect(status).toBe(report.ok ? 0 : 1);
  const of = (name: string) => report.findings.filter((finding) => finding.name === name);
  const blocking = report.findings.filter(({ blocks }) => blocks).map(({ name }) => name);
  return { ...report, of, blocking, text: stdout };
}

const withKey = { ANTHROPIC_API_KEY: secret };

describe("troupe doctor", () => {
  test("a key is present and is never shown", () => {
    const { ok, of, text } = examine(withKey);
    expect(ok).toBe(true);
    expect(of("model")[0]?.detail).toMatch(/^anthropic\//);
    expect(of("keys")[0]?.detail).toBe("ANTHROPIC_API_KEY set");
    expect(text).not.toContain(secret.slice(0, 8));
    const shown = run(["doctor"], withKey);
    expect(shown.status).toBe(0);
    expect(shown.stdout).toContain("ok       node");
    expect(shown.stdout).not.toContain(secret.slice(0, 8));
  });

  test("without a key it lists the options and says that nothing can run", () => {
    const { ok, of, blocking } = examine();
    expect(ok).toBe(false);
    expect(blocking).toEqual(["model"]);
    expect(of("keys")[0]?.status).toBe("missing");
    expect(of("model")[0]?.detail).toContain("troupe demo");
  });

  test("a base URL is shown without its secrets", () => {
    const { of, text } = examine({ ...withKey, ANTHROPIC_BASE_URL: "https://user:hunter2@proxy.test/v1?token=abc" });
    expect(of("base URLs")[0]?.detail).toBe("anthropic: https://proxy.test/v1");
    expect(text).not.toMatch(/hunter2|token=abc/);
  });

  test.each([
    ["a base URL that is none", { OPENAI_BASE_URL: "not a url" }, ["model", "settings"], "OPENAI_BASE_URL"],
    [
      "a key that no provider has",
      { ANTHROPIC_API_KEY: "two words" },
      ["model"],
      "ANTHROPIC_API_KEY contains characters",
    ],
    ["no program at all", { PATH: "/nonexistent" }, ["bash"], "install bash"],
  ])("%s", (_name, env, expected, words) => {
    const { blocking, text } = examine({ ...withKey, ...env });
    expect(blocking).toEqual(expected);
    expect(text).toContain(words);
    expect(text).not.toContain("two words");
  });

  test("every problem of every settings file is listed with its place", () => {
    writeFileSync(join(home, "settings.json"), '{\n  "modle": "opus"\n}\n', { mode: 0o600 });
    mkdirSync(join(cwd, ".troupe"));
    writeFileSync(join(cwd, ".troupe", "settings.json"), "{");
    const { blocking, of } = examine(withKey);
    expect(blocking).toEqual(["model", "settings", "settings"]);
    const details = of("settings").map(({ detail }) => detail);
    expect(details[0]).toContain("project/.troupe/settings.json:1:");
    expect(details[1]).toMatch(/home\/settings\.json:2:3: modle: .*Did you mean "model"/);
  });

  test("settings that the folder may not decide are listed", () => {
    mkdirSync(join(cwd, ".troupe"));
    writeFileSync(join(cwd, ".troupe", "settings.json"), '{ "env": { "A": "b" } }');
    const { ok, of } = examine(withKey);
    expect(ok).toBe(true);
    expect(of("folder's settings")[0]?.detail).toContain("env in");
  });

  test("rules that can match no call, or that allow any code, are listed", () => {
    const allow = ["WebFetch(example.com)", "Bash(node:*)", "Bash(npm test)"];
    writeFileSync(join(home, "settings.json"), JSON.stringify({ permissions: { allow } }));
    const found = examine(withKey).of("permission rules");
    expect(found.map(({ status, detail }) => `${status}: ${detail}`)).toEqual([
      expect.stringMatching(/^problem: The allow rule WebFetch\(example.com\) .*has no effect: it names no host/),
      expect.stringMatching(/^problem: The allow rule Bash\(node:\*\) .*lets agents run any code/),
    ]);
  });

  test("a missing script is a problem", () => {
    writeFileSync(join(home, "settings.json"), '{ "model": "scripted/gone.json" }', { mode: 0o600 });
    const { blocking, of } = examine();
    expect(blocking).toEqual(["model"]);
    expect(of("model")[0]?.detail).toContain("file not found");
  });

  test("a home that others can read is a problem but does not stop anything", () => {
    chmodSync(home, 0o755);
    const { ok, of } = examine(withKey);
    expect(ok).toBe(true);
    expect(of("home permissions")[0]).toMatchObject({ status: "problem", advice: `chmod -R go= ${home}` });
  });

  test("a home that is a file is a blocking problem", () => {
    rmSync(home, { recursive: true });
    writeFileSync(home, "");
    const { blocking, of } = examine(withKey);
    expect(blocking).toEqual(["home"]);
    expect(of("home")[0]?.detail).toContain("is not a folder");
  });

  test("a missing home is fine and is not created", () => {
    rmSync(home, { recursive: true });
    const { ok, of } = examine(withKey);
    expect(ok).toBe(true);
    expect(of("home")[0]?.detail).toContain("(created at the first run)");
    expect(readdirSync(temp)).toEqual(["project"]);
  });

  test("a damaged session is named, with the command that repairs it", () => {
    writeFileSync(join(temp, "hello.json"), JSON.stringify({ version: 1, steps: [{ text: "Hello." }] }));
    expect(run(["-p", "hello", "--model", `scripted/${join(temp, "hello.json")}`]).status).toBe(0);
    expect(examine(withKey).of("sessions")).toMatchObject([{ status: "ok", detail: "1" }]);
    const name = readdirSync(home, { recursive: true, encoding: "utf8" }).find((file) => /ses_\w+\.jsonl$/.test(file));
    const log = join(home, name ?? "");
    writeFileSync(log, readFileSync(log, "utf8").replace('"prompt.promoted"', '"prompt.pro'));
    const { ok, of } = examine(withKey);
    expect(ok).toBe(true);
    const [finding] = of("sessions");
    expect(finding?.status).toBe("problem");
    expect(run((finding?.advice ?? "").split(" ").slice(1)).status).toBe(0);
    expect(examine(withKey).of("sessions")).toMatchObject([{ status: "ok" }]);
  });

  test("a closed output pipe does not fail the command", () => {
    const { stderr } = spawnSync("/bin/sh", ["-c", `"${process.execPath}" "${troupe}" doctor | true`], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: temp, TROUPE_HOME: home },
    });
    expect(stderr).toBe("");
  });

  test("everything is broken at once in a deleted folder", () => {
    rmSync(home, { recursive: true });
    writeFileSync(home, "");
    const gone = join(temp, "gone");
    const script = `mkdir "${gone}" && cd "${gone}" && rmdir "${gone}" && exec "${process.execPath}" "${troupe}" doctor`;
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", script], {
      encoding: "utf8",
      env: { PATH: "/nonexistent:/bin:/usr/bin", HOME: "/nonexistent", TROUPE_HOME: home, OPENAI_BASE_URL: "x" },
    });
    expect(stderr).not.toContain("a bug in Troupe");
    expect(status).toBe(1);
    expect(stdout).toContain("Troupe cannot run here yet: folder, model, settings, home.");
  });
});

describe("checks", () => {
  const machine: Machine = {
    cwd: "/",
    env: {},
    nodeVersion: "v20.18.3",
    home: "/nonexistent",
    config: undefined,
    configError: undefined,
    settingsProblems: [],
    terminal: { isTerminal: true, columns: 80 },
  };

  test.each([
    ["v20.18.3", true],
    ["v18.20.0", true],
    ["v20.19.0", false],
    ["v24.1.0", false],
  ])("Node %s", async (nodeVersion, blocks) => {
    const [finding] = await runChecks([node], { ...machine, nodeVersion });
    expect(finding?.blocks ?? false).toBe(blocks);
  });

  test("a dumb terminal is reported", async () => {
    expect(await runChecks([terminal], { ...machine, env: { TERM: "dumb" } })).toMatchObject([{ status: "problem" }]);
    expect(await runChecks([terminal], { ...machine, env: { TERM: "xterm" } })).toMatchObject([{ status: "ok" }]);
  });

  test("a check that throws becomes a finding", async () => {
    const failing = { name: "odd", find: () => Promise.reject(new Error("no luck")) };
    expect(await runChecks([failing], machine)).toEqual([
      { name: "odd", status: "problem", detail: "the check failed: no luck" },
    ]);
  });
});
