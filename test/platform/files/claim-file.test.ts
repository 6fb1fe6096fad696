import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  claim,
  claimHolder,
  currentProcess,
  createIdFactory,
  isAlive,
  openLineFile,
  type ProcessIdentity,
  systemClock,
} from "../../../src/platform/index.ts";
import { knownPid } from "../../support/processes/live-processes.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needStrace } from "../../support/processes/required-tools.ts";
import { isSoak, soakRounds } from "../../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const options = { what: "It", createId: createIdFactory(systemClock), clock: systemClock };
let program: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  program = await buildProgram("claim-file-rounds.ts");
});
afterAll(() => program.remove());

function startChild(): ChildProcess {
  const child = fork(program.path, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function ask(child: ChildProcess, task: object): Promise<unknown> {
  const answer = once(child, "message");
  child.send(task);
  return ((await answer) as unknown[])[0];
}

async function leaveStaleClaim(path: string, owner: ProcessIdentity): Promise<void> {
  const file = openLineFile(path, { durability: "process" });
  await file.append([{ claim: "clm_stale", after: null, owner, at: new Date().toISOString() }]);
  await file.close();
}

/** The state of the file after many claims and releases. */
async function leaveLongFile(path: string): Promise<void> {
  const file = openLineFile(path, { durability: "process" });
  const at = new Date().toISOString();
  for (let n = 0; n < 100; n++)
    await file.append([{ claim: `clm_${n}`, after: null, owner: reusedPid, at }, { release: `clm_${n}` }]);
  await file.close();
}

/** The pid is alive, but it belongs to another process than the claimant. */
const reusedPid: ProcessIdentity = { ...currentProcess(), startedAt: "1" };

describe("claim", () => {
  it("is exclusive until released, also within one process", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    const first = await claim(path, options);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const refusal = claim(path, options);
    await expect(refusal).rejects.toMatchObject({ code: "session_busy" });
    await expect(refusal).rejects.toThrow(new RegExp(`It is in use by process ${process.pid} on .+ since \\d{4}-`));
    await first.release();
    await first.release();
    const second = await claim(path, options);
    await first.release();
    await expect(claim(path, options)).rejects.toMatchObject({ code: "session_busy" });
    await second.release();
  });

  it("shows its holder to readers", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    expect(claimHolder(path)).toBeUndefined();
    const held = await claim(path, options);
    expect(claimHolder(path)).toEqual(currentProcess());
    await held.release();
    expect(claimHolder(path)).toBeUndefined();
  });

  it("is not held by a pid that now belongs to another process", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    await leaveStaleClaim(path, reusedPid);
    await (await claim(path, options)).release();
  });

  it("is held by a process on another machine, whose state is unknown", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    await leaveStaleClaim(path, { ...currentProcess(), host: "other-host", bootId: "another" });
    await expect(claim(path, options)).rejects.toThrow("on other-host");
  });

  it("survives a torn record before it", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    await leaveStaleClaim(path, reusedPid);
    appendFileSync(path, '\n{"claim":"clm_torn","after":"clm_sta');
    const held = await claim(path, options);
    await expect(claim(path, options)).rejects.toMatchObject({ code: "session_busy" });
    await held.release();
  });

  it("of a killed holder is taken at once, of a stopped one never", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    const child = startChild();
    expect(await ask(child, { path })).toBe("held");
    child.kill("SIGSTOP");
    await expect(claim(path, options)).rejects.toThrow(`process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "exit");
    await (await claim(path, options)).release();
  });

  it("has one winner when ten processes meet a stale claim, round after round", async () => {
    const folder = temporaryFolder();
    const children = Array.from({ length: 10 }, startChild);
    for (let round = 0; round < soakRounds({ suite: 40, soak: 150 }); round++) {
      const path = join(folder, `${round}.jsonl`);
      await leaveStaleClaim(path, reusedPid);
      const answers = await Promise.all(children.map((child) => ask(child, { path })));
      expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
      expect(answers.filter((answer) => answer === "session_busy")).toHaveLength(9);
    }
  });

  it.each([
    ["", {}],
    [", also when each of them rewrites the file", { limitBytes: 1 }],
  ])("excludes eight processes from each other%s", async (_, more) => {
    const folder = temporaryFolder();
    const times = isSoak ? 25 : 8;
    const task = { path: join(folder, "owner.jsonl"), inside: join(folder, "inside"), times, ...more };
    const children = Array.from({ length: 8 }, startChild);
    const answers = await Promise.all(children.map((child) => ask(child, task)));
    expect(answers).toEqual(children.map(() => ({ entered: times, met: 0 })));
  });
});

describe("claim file", () => {
  it("stays small however often it is claimed, and always names its holder", async () => {
    const path = join(temporaryFolder(), "owner.jsonl");
    const sizes: number[] = [];
    for (let round = 0; round < 200; round++) {
      const held = await claim(path, options);
      expect(claimHolder(path)).toEqual(currentProcess());
      await expect(claim(path, options)).rejects.toMatchObject({ code: "session_busy" });
      await held.release();
      expect(claimHolder(path)).toBeUndefined();
      sizes.push(statSync(path).size);
    }
    expect(Math.max(...sizes)).toBeLessThan(17_000);
    expect(readdirSync(join(path, ".."))).toEqual(["owner.jsonl"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["openat", "signal=KILL"],
    ["write", "signal=KILL"],
    ["rename", "signal=KILL"],
    ["fsync", "signal=KILL"],
    ["close", "signal=KILL"],
    ["rename", "error=ENOSPC"],
    ["fsync", "error=EIO"],
    ["close", "error=EIO"],
  ])("has one holder after any fault in %s (%s) during a rewrite", async (call, fault) => {
    needStrace();
    for (let n = 1; ; n++) {
      const folder = temporaryFolder();
      const path = join(folder, "owner.jsonl");
      await leaveLongFile(path);
      const trace = join(temporaryFolder(), "trace");
      // strace filters by the first path of a call. For a rename that is another file.
      const only = call === "rename" ? [] : ["-P", folder, "-P", path];
      const inject = [...only, "-e", `trace=${call}`, "-e", `inject=${call}:${fault}:when=${n}`];
      const child = spawn("strace", ["-f", "-qq", "-o", trace, ...inject, process.execPath, program.path, path]);
      const ended = once(child, "exit");
      const [said] = (await Promise.race([once(child.stdout, "data"), ended])) as unknown[];
      const isHeld = String(said) === "held\n";
      if (isHeld) await expect(claim(path, options)).rejects.toMatchObject({ code: "session_busy" });
      child.stdin.end();
      await ended;
      const held = await claim(path, options);
      await expect(claim(path, options)).rejects.toMatchObject({ code: "session_busy" });
      await held.release();
      const isHit = readFileSync(trace, "utf8").includes("INJECTED") || !isHeld;
      if (!isHit) return expect(n).toBeGreaterThan(1);
    }
  });
});

describe("isAlive", () => {
  it("recognizes live, dead, renamed and unknown processes", async () => {
    const here = currentProcess();
    expect(isAlive(here)).toBe("alive");
    expect(isAlive(reusedPid)).toBe("dead");
    expect(isAlive({ ...here, bootId: "an earlier boot" })).toBe("dead");
    expect(isAlive({ ...here, bootId: "x", host: "other-host" })).toBe("unknown");
    expect(isAlive({ ...here, host: "renamed" })).toBe("alive");
    expect(isAlive({ ...here, pidNamespace: "pid:[1]" })).toBe("unknown");
    expect(isAlive({ ...here, startedAt: "" })).toBe("unknown");
    const child = spawn("sleep", ["600"]);
    await once(child, "spawn");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isAlive({ ...here, pid: knownPid(child.pid) })).toBe("dead");
  });
});
