import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { processesWith, until } from "../../support/processes/live-processes.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { openSandboxBench, type SandboxBench } from "../../support/tools/sandbox-bench.ts";

let bench: SandboxBench;
let program: Awaited<ReturnType<typeof buildProgram>>;
const hosts: ChildProcess[] = [];
beforeAll(async () => {
  bench = await openSandboxBench();
  program = await buildProgram("run-sandboxed.ts");
});
afterEach(() => {
  for (const host of hosts.splice(0)) host.kill("SIGKILL");
});
afterAll(async () => {
  program.remove();
  await bench.close();
});

/** Resolves when the host prints this. */
async function startHost(
  folder: string,
  script: string,
  word: string,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const host = spawn(process.execPath, [program.path, folder, script], {
    // A killed process cannot clean up: the test removes what it leaves.
    env: { ...process.env, TMPDIR: temporaryFolder(), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  hosts.push(host);
  let text = "";
  await new Promise<void>((resolve, reject) => {
    host.once("exit", () => reject(new Error(`it ended early: ${text}`)));
    host.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.includes(word)) resolve();
    });
  });
  return host;
}

const stubborn = (token: string) =>
  `: ${token}; trap '' TERM HUP INT; setsid sleep 600 & (trap '' TERM; exec -a ${token} sleep 600) & echo ready; while :; do sleep 600; done`;

describe("all processes in a sandbox end", () => {
  it("on abort, even when they ignore signals or have moved", async () => {
    const token = randomUUID();
    const abort = new AbortController();
    const running = bench.run(stubborn(token), { signal: abort.signal, env: { TOKEN: token } });
    await until("it runs", () => processesWith(token).length > 3);
    abort.abort();
    expect((await running).output).toBe("ready");
    await until("all of it is gone", () => processesWith(token).length === 0);
  });

  it("when the process that holds the sandbox is killed", async () => {
    const token = randomUUID();
    const folder = temporaryFolder();
    const host = await startHost(folder, stubborn(token), "ready", { TOKEN: token });
    expect(processesWith(token).length).toBeGreaterThan(3);
    const gone = new Promise((resolve) => host.once("exit", resolve));
    host.kill("SIGKILL");
    await gone;
    await until("all of it is gone", () => processesWith(token).length === 0);
  });

  it("with the command itself: nothing stays running", async () => {
    const token = randomUUID();
    await bench.run(`setsid sleep 600 & nohup sleep 600 & echo started`, { env: { TOKEN: token } });
    await until("all of it is gone", () => processesWith(token).length === 0);
  });
});

describe("placeholder for a missing protected path", () => {
  it("stays while any command of the session needs it, and is removed afterwards", async () => {
    const abort = new AbortController();
    const long = bench.run("echo started > started; sleep 600", { signal: abort.signal });
    await until("it runs", () => readdirSync(bench.work).includes("started"));
    await Promise.all(Array.from({ length: 8 }, () => bench.run("true")));
    expect(readdirSync(bench.work)).toContain(".claude");
    expect((await bench.run("echo x > .claude/x")).exitCode).not.toBe(0);
    abort.abort();
    await long;
    expect(readdirSync(bench.work)).not.toContain(".claude");
    rmSync(join(bench.work, "started"));
  });

  it("is held by each of many concurrent commands", async () => {
    const ran = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        bench.run(`sleep 0.0${index % 7}; (echo x > .claude/x) 2>/dev/null || echo refused`),
      ),
    );
    expect(new Set(ran.map(({ output }) => output))).toEqual(new Set(["refused"]));
    expect(readdirSync(bench.work)).not.toContain(".claude");
  });

  it("is left in place when another process has written there", async () => {
    const abort = new AbortController();
    const long = bench.run("echo started > started; sleep 600", { signal: abort.signal });
    await until("it runs", () => readdirSync(bench.work).includes("started"));
    writeFileSync(join(bench.work, ".idea", "mine.xml"), "mine");
    abort.abort();
    await long;
    expect(readdirSync(join(bench.work, ".idea"))).toEqual(["mine.xml"]);
    expect(statSync(join(bench.work, ".idea")).mode & 0o7000).toBe(0);
    rmSync(join(bench.work, ".idea"), { recursive: true });
    rmSync(join(bench.work, "started"));
  });

  const killDuringCommand = async (folder: string) => {
    const token = randomUUID();
    const host = await startHost(folder, "echo ready; sleep 600", "ready", { TOKEN: token });
    host.kill("SIGKILL");
    await until("all of it is gone", () => processesWith(token).length === 0);
  };

  it("of a killed process is removed by the next command that needs it", async () => {
    const folder = temporaryFolder();
    await killDuringCommand(folder);
    expect(readdirSync(folder)).toEqual([".git"]);
    await startHost(folder, "echo x > .git/x; true", "released");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is not an empty folder of the user", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".git"));
    await killDuringCommand(folder);
    await startHost(folder, "true", "released");
    expect(readdirSync(folder)).toEqual([".git"]);
  });

  it("stays while another process needs it", async () => {
    const folder = temporaryFolder();
    await startHost(folder, "echo ready; sleep 600", "ready");
    expect(readdirSync(folder)).toEqual([".git"]);
    // Another session of the same folder starts and ends.
    await startHost(folder, "echo x > .git/x; true", "released");
    expect(readdirSync(folder)).toEqual([".git"]);
    expect(readdirSync(join(folder, ".git"))).toEqual([]);
  });
});

describe("without a sandbox it gives the reason and refuses to run", () => {
  it("no user namespaces, as in a container", () => {
    const around = ["--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--"];
    const { stdout } = spawnSync("bwrap", [...around, process.execPath, program.path, temporaryFolder(), "echo RAN"]);
    expect(stdout.toString()).toMatch(/^problem: bwrap does not work here \(.+\): allow user namespaces/);
    expect(stdout.toString()).not.toContain("RAN");
  });

  it("no bwrap", () => {
    const around = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--"];
    const { stdout } = spawnSync("bwrap", [...around, process.execPath, program.path, temporaryFolder(), "echo RAN"]);
    expect(stdout.toString()).toMatch(/^problem: bwrap does not work here \(.*could not be started/);
  });

  it("a working folder that contains the system", () => {
    const { stdout } = spawnSync(process.execPath, [program.path, "/", "echo RAN"]);
    expect(stdout.toString()).toBe("problem: / cannot be a working folder of a sandbox: it contains the system\n");
  });

  it("a protected path that is a link", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, ".git"));
    const { stdout } = spawnSync(process.execPath, [program.path, folder, "echo RAN"]);
    expect(stdout.toString()).toMatch(/^problem: cannot protect .*\.git in the sandbox: it is a symbolic link/);
  });
});
