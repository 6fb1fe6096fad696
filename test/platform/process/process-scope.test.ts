import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { knownPid, processesWith, until } from "../../support/processes/live-processes.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;
const hosts: ChildProcess[] = [];

beforeAll(async () => {
  program = await buildProgram("process-scope-host.ts");
});

afterEach(() => {
  for (const host of hosts.splice(0)) host.kill("SIGKILL");
});
afterAll(() => program.remove());

/** Resolves when the script prints `ready`. */
async function startHost(script: string, token: string): Promise<ChildProcess> {
  const host = spawn(process.execPath, [program.path, `: ${token}\n${script}`], {
    env: { ...process.env, TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  hosts.push(host);
  await new Promise<void>((resolve, reject) => {
    let text = "";
    host.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("ready")) resolve();
    });
    host.once("exit", () => reject(new Error(`the host ended early: ${text}`)));
  });
  return host;
}

const exit = (host: ChildProcess) => new Promise((resolve) => host.once("exit", resolve));

const scripts: [string, string][] = [
  ["a plain command", "echo ready; sleep 600"],
  ["what a finished command left behind", "sleep 600 & setsid sleep 600 & echo ready"],
  ["groups, sessions and daemons", "set -m; sleep 600 & setsid -f sleep 600; echo ready; sleep 600"],
  ["processes that ignore SIGTERM", "trap '' TERM HUP INT; sleep 600 & echo ready; while :; do sleep 600; done"],
  ["stopped processes", "sleep 600 & kill -STOP $!; echo ready; kill -STOP $$"],
];

describe("no process outlives its parent", () => {
  it.each(scripts)("kill -9 of the host: %s", async (_name, script) => {
    const token = randomUUID();
    const host = await startHost(script, token);
    expect(processesWith(token).length).toBeGreaterThan(1);
    const gone = exit(host);
    host.kill("SIGKILL");
    await gone;
    await until("everything is gone", () => processesWith(token).length === 0);
  });

  it("kill -9 of the host's whole process group", async () => {
    const token = randomUUID();
    const host = await startHost("echo ready; sleep 600", token);
    const gone = exit(host);
    process.kill(-knownPid(host.pid), "SIGKILL");
    await gone;
    await until("everything is gone", () => processesWith(token).length === 0);
  });

  it("Ctrl+C reaches the host alone, and its children end with it", async () => {
    const token = randomUUID();
    const host = await startHost("trap '' TERM; echo ready; while :; do sleep 600; done", token);
    const gone = exit(host);
    process.kill(-knownPid(host.pid), "SIGINT");
    await gone;
    await until("everything is gone", () => processesWith(token).length === 0);
  });

  it("leaves no watchdog behind", async () => {
    const before = new Set(processesWith("TROUPE_REAPER=1"));
    const token = randomUUID();
    const host = await startHost("echo ready", token);
    const watchdogs = processesWith("TROUPE_REAPER=1").filter((pid) => !before.has(pid));
    expect(watchdogs.length).toBeGreaterThan(0);
    const gone = exit(host);
    host.kill("SIGKILL");
    await gone;
    await until("the watchdog is gone", () =>
      processesWith("TROUPE_REAPER=1").every((pid) => !watchdogs.includes(pid)),
    );
  });
});
