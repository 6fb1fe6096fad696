import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProcessScope, runProcess, type RunRequest } from "../../../src/platform/index.ts";
import { processesWith, until } from "../../support/processes/live-processes.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const PATH = process.env["PATH"] ?? "/usr/bin:/bin";

function bash(script: string, more: Partial<RunRequest> = {}) {
  const output: Record<string, string> = { stdout: "", stderr: "", side: "" };
  const request: RunRequest = {
    command: "bash",
    args: ["--noprofile", "--norc", "-c", script],
    cwd: "/",
    env: { PATH },
    onOutput: (chunk, stream) => {
      output[stream] += chunk.toString();
    },
    ...more,
  };
  return { output, request };
}

describe("runProcess", () => {
  it("returns output, exit code and the side channel", async () => {
    const { output, request } = bash("echo out; echo err >&2; echo aside >&3; cat; exit 7", { stdin: "fed" });
    const result = await runProcess(request);
    expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: false, aborted: false, outputBytes: 11 });
    expect(output).toEqual({ stdout: "out\nfed", stderr: "err\n", side: "aside\n" });
  });

  it("names the signal that ended the process", async () => {
    expect(await runProcess(bash("kill -9 $$").request)).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  it.each([
    [
      "a missing program",
      { command: "/no/such/program" },
      /no\/such\/program could not be started: the program does not exist/,
    ],
    ["a missing folder", { cwd: "/no/such/folder" }, /the folder \/no\/such\/folder does not exist/],
    ["arguments too long", { args: ["-c", "x".repeat(3_000_000)] }, /its arguments are too long/],
    ["a NUL byte", { args: ["-c", "a\0b"] }, /could not be started/],
  ])("returns %s as data", async (_name, more, words) => {
    const result = await runProcess({ ...bash(":").request, ...more });
    expect(result.startFailure).toMatch(words);
    expect(result).toMatchObject({ exitCode: null, signal: null });
  });

  it("does not wait for a daemon that holds the pipes", async () => {
    const token = `TOKEN=${randomUUID()}`;
    const scope = createProcessScope();
    const { output, request } = bash(`env ${token} sleep 600 & echo started`);
    const result = await scope.run(request);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(output["stdout"]).toBe("started\n");
    expect(result.leftRunning).toHaveLength(1);
    expect(processesWith(token)).toHaveLength(1);
    await scope.close();
    await until("the daemon is gone", () => processesWith(token).length === 0);
  });

  it("includes output written after the program ended, even if this process was busy", async () => {
    const marker = join(temporaryFolder(), "written");
    // As with `> >(tee log)`: nothing waits for the last writer.
    const { output, request } = bash(`(sleep 0.02; echo late; touch ${marker}) & echo early`);
    // Limited: the signal may come from a child of an earlier test, before this program has started.
    const isBusy = () => {
      const since = performance.now();
      const passed = () => performance.now() - since;
      while (passed() < 200 || (passed() < 5_000 && !existsSync(marker)));
    };
    const onChild = () => void setImmediate(isBusy);
    process.once("SIGCHLD", onChild);
    expect(await runProcess(request)).toMatchObject({ exitCode: 0 });
    expect(output["stdout"]).toBe("early\nlate\n");
  });

  it("does not break a daemon that keeps writing", async () => {
    const scope = createProcessScope();
    const token = `TOKEN=${randomUUID()}`;
    await scope.run(bash(`env ${token} bash -c 'while echo tick; do sleep 0.01; done' & echo $!`).request);
    for (let i = 0; i < 10; i++) await runProcess(bash("sleep 0.02").request);
    expect(processesWith(token).length).toBeGreaterThan(0);
    await scope.close();
    await until("the daemon is gone", () => processesWith(token).length === 0);
  });

  it.each([
    ["an ordinary child", "sleep 600 & sleep 600"],
    ["its own process group", "set -m; sleep 600 & sleep 600 & wait"],
    ["its own session", "setsid sleep 600 & setsid setsid sleep 600 & sleep 600"],
    ["a reparented daemon", "(setsid -f bash -c 'sleep 600; :' &); sleep 600; :"],
    ["an empty environment", 'env -i setsid bash -c "sleep 600; : $TOKEN" & sleep 600; :'],
    [
      "ignoring SIGTERM",
      "trap '' TERM; bash -c 'trap \"\" TERM; while :; do sleep 600; done' & while :; do sleep 600; done",
    ],
    ["stopped", "bash -c 'kill -STOP $$' & sleep 600 & kill -STOP $!; kill -STOP $$"],
    [
      "stopped and ignoring SIGTERM",
      "trap '' TERM; (trap '' TERM; kill -STOP $BASHPID; sleep 600) & kill -STOP $$; sleep 600",
    ],
  ])("ends the whole tree on abort: %s", async (_name, script) => {
    const token = randomUUID();
    const abort = new AbortController();
    const scope = createProcessScope();
    const { request } = bash(`: ${token}\necho ready; ${script}`, {
      env: { PATH, TOKEN: token },
      signal: abort.signal,
      graceMs: 200,
      onOutput: () => void setTimeout(() => abort.abort(), 50),
    });
    const result = await scope.run(request);
    expect(result).toMatchObject({ aborted: true, leftRunning: [] });
    await until("everything is gone", () => processesWith(token).length === 0);
    await scope.close();
  });

  it("ends a process that runs out of time", async () => {
    const result = await runProcess(bash("sleep 600", { timeoutMs: 50 }).request);
    expect(result).toMatchObject({ timedOut: true, aborted: false, signal: "SIGTERM" });
  });

  it("leaves nothing running when already aborted", async () => {
    const result = await runProcess(bash("sleep 600", { signal: AbortSignal.abort() }).request);
    expect(result).toMatchObject({ aborted: true });
  });

  it("ends a flood of output and keeps none of it", async () => {
    const result = await runProcess(bash("yes", { outputLimitBytes: 50_000_000, onOutput: () => undefined }).request);
    expect(result.flooded).toBe(true);
    expect(result.outputBytes).toBeGreaterThan(50_000_000);
  });

  it("survives a fork bomb within a bound", async () => {
    const token = randomUUID();
    const script = `: ${token}\nulimit -u 400 2>/dev/null; f(){ for i in 1 2 3 4 5 6; do (sleep 0.01; exec sleep 600) & done; }; for i in 1 2 3 4; do (f; exec sleep 600) & done; sleep 600`;
    const result = await runProcess(
      bash(script, { timeoutMs: 300, graceMs: 200, env: { PATH, TOKEN: token } }).request,
    );
    expect(result.timedOut).toBe(true);
    await until("everything is gone", () => processesWith(token).length === 0);
  });

  it("closes in bounded time although a child ignores SIGTERM, then starts nothing", async () => {
    const token = randomUUID();
    const scope = createProcessScope();
    const child = scope.start(bash(`: ${token}\ntrap '' TERM; echo up; while :; do sleep 600; done`).request);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await scope.close();
    expect(processesWith(token)).toEqual([]);
    expect(() => scope.start(bash(":").request)).toThrow(/session is ending/);
  });
});
