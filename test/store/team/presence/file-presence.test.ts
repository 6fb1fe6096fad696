import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { currentProcess, systemClock } from "../../../../src/platform/index.ts";
import { createPresence } from "../../../../src/store/team/presence/file-presence.ts";
import { createTestClock } from "../../../../src/testing.ts";
import { buildProgram } from "../../../support/processes/build-program.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";

/** Time that the test advances, and a wall clock that is set wrong on purpose. */
function start() {
  const folder = join(temporaryFolder(), "presence");
  let uptime = 1_000_000;
  let wall = Date.UTC(2026, 0, 1);
  const clock = { now: () => wall };
  const open = (owner = currentProcess()) => {
    const presence = createPresence({ folder, clock, uptime: () => uptime, owner, beatMs: 1_000_000 });
    onTestFinished(() => presence.close());
    return presence;
  };
  const pass = (ms: number) => void (uptime += ms);
  const setWall = (ms: number) => void (wall += ms);
  return { folder, open, pass, setWall };
}

const day = 86_400_000;
/** A live pid that belongs to a process that started later. */
const reusedPid = () => ({ ...currentProcess(), startedAt: "1" });

describe("presence", () => {
  it.each([day, -day])("a lease does not depend on the wall clock (%i ms) (B4)", async (jump) => {
    const { open, pass, setWall } = start();
    await open().announce("tester", "working");
    setWall(jump);
    expect(await open().look("tester")).toMatchObject({ alive: "alive", expired: false });
    pass(10_001);
    setWall(-jump);
    expect(await open().look("tester")).toMatchObject({ alive: "unknown", expired: true });
  });

  it("a pid reused by another process counts as dead (B10)", async () => {
    const { open } = start();
    await open(reusedPid()).announce("tester", "working");
    expect(await open().look("tester")).toMatchObject({ alive: "dead" });
    expect(await open().goneReason("tester")).toContain("is gone");
  });

  it("presence from before a reboot counts as dead, whatever its time", async () => {
    const { open } = start();
    await open({ ...currentProcess(), bootId: "another" }).announce("tester", "working");
    expect(await open().look("tester")).toMatchObject({ alive: "dead", expired: false });
  });

  it("presence of another machine is unknown and is not removed", async () => {
    const { open, pass } = start();
    await open({ ...currentProcess(), bootId: "another", host: "other-host", machineId: "another" }).announce(
      "t",
      "working",
    );
    pass(day);
    expect(await open().look("t")).toMatchObject({ alive: "unknown", expired: false });
    expect(await open().goneReason("t")).toBeUndefined();
  });

  it("a process that ended is dead at once", async () => {
    const { folder, open } = start();
    const child = spawn("sleep", ["1000"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await open().announce("tester", "working");
    const path = join(folder, "tester.json");
    const said = JSON.parse(readFileSync(path, "utf8")) as { owner: object; sum: number };
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
    const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(
      path,
      JSON.stringify({ ...said, sum: undefined, owner: { ...said.owner, pid: child.pid, startedAt } }),
    );
    expect(await open().look("tester")).toMatchObject({ alive: "alive" });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await open().look("tester")).toMatchObject({ alive: "dead" });
  });

  it("one process publishes for a member; another only after its lease, and the first one fails", async () => {
    const { open, pass } = start();
    const stopped = await open(currentProcess()).announce("tester", "working");
    // The same pid but another identity, as seen from another container of the same machine.
    const other = { ...currentProcess(), pid: process.ppid, startedAt: startOf(process.ppid) };
    await expect(open(other).announce("tester", "starting")).rejects.toMatchObject({ code: "team" });
    pass(10_001);
    const taken = await open(other).announce("tester", "starting");
    await expect(stopped.set("idle")).rejects.toMatchObject({
      code: "team",
      message: expect.stringContaining("Another process"),
    });
    expect(stopped.lost.aborted).toBe(true);
    expect(taken.lost.aborted).toBe(false);
    expect(await open().look("tester")).toMatchObject({ state: "starting", pid: process.ppid });
  });

  it("is renewed in the background", async () => {
    const { folder } = start();
    let uptime = 5;
    const presence = createPresence({ folder, clock: systemClock, uptime: () => uptime, beatMs: 5 });
    onTestFinished(() => presence.close());
    await presence.announce("tester", "idle");
    uptime = 10_000_000;
    await expect.poll(async () => (await presence.look("tester"))?.expired).toBe(false);
    expect(readdirSync(folder)).toEqual(["tester.json"]);
  });

  it.each(["", "{", "[]", '{"name":"tester"}', "\0\0\0", '{"__proto__":{"state":"ended"}}'])(
    "unreadable presence (%j) is neither dead nor absent (C1)",
    async (text) => {
      const { folder, open } = start();
      await open().announce("tester", "working");
      writeFileSync(join(folder, "tester.json"), text);
      expect(await open().look("tester")).toMatchObject({
        alive: "unknown",
        detail: expect.stringContaining("its presence file cannot be read"),
      });
      expect(await open().goneReason("tester")).toBeUndefined();
    },
  );

  it("a concurrent reader sees one complete state or the other", async () => {
    const { folder, open } = start();
    const program = await buildProgram("publish-presence.ts");
    onTestFinished(program.remove);
    const child = spawn(process.execPath, [program.path, folder], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    const seen = new Set<string>();
    while (child.exitCode === null) {
      const presence = open();
      for (let i = 0; i < 200; i++) {
        const there = await presence.look("tester");
        seen.add(`${there?.state} ${there?.detail?.length}`);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await ended).toEqual([0, null]);
    expect([...seen].sort()).toEqual(["idle 3", "working 300"]);
  });

  it("gives the start of the state, which a new detail does not change", async () => {
    const { folder, open } = start();
    const clock = createTestClock();
    const presence = createPresence({ folder, clock, beatMs: 1_000_000 });
    onTestFinished(() => presence.close());
    const own = await presence.announce("tester", "working", "a");
    await clock.advance(1000);
    await own.set("working", "b");
    expect(await open().look("tester")).toMatchObject({ detail: "b", since: "2026-01-01T00:00:00.000Z" });
    await own.set("idle");
    expect(await open().look("tester")).toMatchObject({ state: "idle", since: "2026-01-01T00:00:01.000Z" });
  });
});

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
