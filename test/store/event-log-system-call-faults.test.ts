import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AgentId } from "../../src/protocol/index.ts";
import { openEventLog } from "../../src/store/index.ts";
import { buildProgram } from "../support/processes/build-program.ts";
import { needStrace, onlyTheseStop } from "../support/processes/required-tools.ts";
import { isSoak } from "../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { createId, newSessionId, note, storeOptions } from "../support/store/sample-events.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  needStrace();
  program = await buildProgram("record-events.ts");
});
afterAll(() => program.remove());

/** One fault at the Nth call of its kind on the log, for N = 1, 2, 3… until a run meets none. The suite tries every second call. */
const faults = [
  ["openat", "error=EMFILE", "disk"],
  ["openat", "signal=KILL", "disk"],
  ["write", "error=ENOSPC", "disk"],
  ["write", "error=EIO", "soon"],
  ["write", "signal=KILL", "disk"],
  ["fdatasync", "error=EIO", "disk"],
  ["fdatasync", "error=ENOSPC", "soon"],
  ["fdatasync", "signal=KILL", "disk"],
  ["close", "error=EIO", "soon"],
  ["close", "signal=KILL", "disk"],
] as const;

describe("fault at any system call of a log", () => {
  it.concurrent.for(faults)("%s %s (%s)", async ([call, fault, durability], test) => {
    const folder = temporaryFolder(test.onTestFinished);
    let hits = 0;
    for (let n = 1; ; n += isSoak ? 1 : 2) {
      const path = join(folder, `${n}.jsonl`);
      const { session, before } = await logWithOneEvent(path);
      const trace = join(folder, `${n}.trace`);
      const inject = `inject=${call}:${fault}:when=${n}`;
      const args = [
        "-f",
        ...onlyTheseStop(fault),
        "-qq",
        "-o",
        trace,
        "-P",
        path,
        "-e",
        `trace=${call}`,
        "-e",
        inject,
        process.execPath,
        program.path,
      ];
      const said = await run("strace", [...args, path, session, durability, "3"]);
      const log = await openEventLog({ ...storeOptions, path, session, agent: createId<AgentId>("agt") });
      const ids: string[] = log.replayed.map(({ id }) => id);
      await log.close();
      const stored = said.filter((line) => line.startsWith("stored")).map((line) => line.split(" ")[1] ?? "");
      const rejected = said.filter((line) => line.startsWith("rejected"));
      expect(ids.slice(0, 1)).toEqual(before);
      // Acknowledged events are there, in order. One more is allowed only if the process died before it could
      // acknowledge it.
      const killed = fault.startsWith("signal") && !said.includes("closed");
      expect(ids.slice(1, 1 + stored.length)).toEqual(stored);
      expect(ids.length - 1 - stored.length).toBeLessThanOrEqual(killed ? 1 : 0);
      const isHit = killed || readFileSync(trace, "utf8").includes("INJECTED");
      if (!isHit) {
        expect(rejected).toEqual([]);
        expect(said.at(-1)).toBe("closed");
        break;
      }
      hits += 1;
      if (!killed) expect(rejected).toEqual([`rejected ${fault.replace("error=", "")}`]);
    }
    expect(hits).toBeGreaterThan(0);
  });

  it("a failed background sync fails the next append, which stores nothing", async () => {
    const background = await buildProgram("await-background-failure.ts");
    onTestFinished(() => background.remove());
    const path = join(temporaryFolder(), "a.jsonl");
    const inject = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=1"];
    const args = ["-f", "-qq", "-o", "/dev/null", "-P", path, ...inject, process.execPath, background.path, path];
    expect(await run("strace", args)).toEqual(['{"rejected":["EIO"],"isAllThere":true}']);
  });

  it("records that a failed sync may have lost are written again before they count as synced", async () => {
    const program = await buildProgram("sync-after-failure.ts");
    onTestFinished(() => program.remove());
    const path = join(temporaryFolder(), "a.jsonl");
    const trace = join(temporaryFolder(), "trace");
    const inject = ["-e", "trace=fdatasync,pwrite64", "-e", "inject=fdatasync:error=EIO:when=2"];
    const args = ["-f", "-qq", "-s", "1000", "-o", trace, "-P", path, ...inject, process.execPath, program.path, path];
    const words = [{ word: "first" }, { word: "second" }];
    expect(await run("strace", args)).toEqual([JSON.stringify({ refused: 1, words })]);
    const calls = readFileSync(trace, "utf8").split("\n");
    const failed = calls.findIndex((call) => call.includes("EIO"));
    const again = calls.findIndex((call, at) => at > failed && call.includes("pwrite64") && call.includes("second"));
    expect(failed).toBeGreaterThan(0);
    expect(again).toBeGreaterThan(failed);
    expect(calls[again]).not.toContain("first");
    expect(calls.slice(again).some((call) => /fdatasync.* = 0/.test(call))).toBe(true);
  });
});

async function logWithOneEvent(path: string) {
  const session = newSessionId();
  const log = await openEventLog({
    ...storeOptions,
    path,
    session,
    agent: createId<AgentId>("agt"),
    durability: "process",
  });
  const { id } = await log.record(note("before"));
  await log.close();
  return { session, before: [id] as string[] };
}

function run(command: string, args: readonly string[]): Promise<string[]> {
  // strace counts calls per thread, so only one thread does file work.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  return new Promise((resolve) => {
    execFile(command, args, { env }, (_error, stdout, stderr) => {
      if (stderr !== "" && !stderr.includes("Killed")) throw new Error(stderr);
      resolve(stdout.split("\n").filter((line) => line !== ""));
    });
  });
}
