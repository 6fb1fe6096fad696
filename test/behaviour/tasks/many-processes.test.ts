import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { currentProcess, createIdFactory, readLines, systemClock } from "../../../src/platform/index.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { isSoak, soakRounds } from "../../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { openList } from "../../support/store/open-task-list.ts";

type Program = Awaited<ReturnType<typeof buildProgram>>;
const programs: Record<"claim" | "change" | "hold", Program> = {} as never;

beforeAll(async () => {
  programs.claim = await buildProgram("claim-tasks.ts");
  programs.change = await buildProgram("change-tasks.ts");
  programs.hold = await buildProgram("hold-task.ts");
});
afterAll(() => Object.values(programs).forEach((program) => program.remove()));

const lead = { name: "team-lead" };
const [processes, count] = isSoak ? [32, 1_000] : [16, 300];

function start(
  program: Program,
  args: readonly string[],
): { child: ChildProcess; lines: string[]; ended: Promise<void> } {
  const child = spawn(process.execPath, [program.path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const reading = createInterface({ input: child.stdout });
  reading.on("line", (line) => lines.push(line));
  return { child, lines, ended: once(child, "close").then(() => undefined) };
}

describe("many processes on one task list", () => {
  it(`${processes} processes, ${count} tasks, some from dead owners, with compaction: one owner each (B1, B8)`, async () => {
    const path = join(temporaryFolder(), "tasks.jsonl");
    const list = openList(path, { durability: "process" });
    for (let n = 1; n <= count; n++) await list.create({ subject: `t${n}`, description: "" }, lead);
    const dead = { ...currentProcess(), startedAt: "1" };
    for (let n = 1; n <= 50; n++) await list.claim(n, { name: `ghost${n}`, holder: dead });
    await list.close();
    const workers = Array.from({ length: processes }, (_, n) =>
      start(programs.claim, [path, `w${n}`, String(count), "100000"]),
    );
    await Promise.all(workers.map(({ ended }) => ended));
    const said = workers.flatMap(({ lines }) => lines);
    expect(said.filter((line) => !line.startsWith("won "))).toEqual([]);
    expect(said.length).toBe(count);
    expect(new Set(said).size).toBe(count);
    const after = openList(path);
    const items = await after.list();
    expect(after.problems()).toEqual([]);
    await after.close();
    const winners = new Map(
      workers.flatMap(({ lines }, n) => lines.map((line) => [Number(line.slice(4)), `w${n}`] as const)),
    );
    expect(items.every(({ id, owner, status }) => status === "completed" && owner === winners.get(id))).toBe(true);
  });

  it("killed while writing and compacting: acknowledged changes stay, nothing else changes (B2)", {
    timeout: 600_000,
  }, async () => {
    const path = join(temporaryFolder(), "tasks.jsonl");
    const told = new Map<number, string>();
    let changed = 0;
    const rounds = soakRounds({ suite: 9, soak: 600 });
    for (let round = 0; round < rounds; round += 3) {
      const three = [0, 1, 2].map((n) => start(programs.change, [path, `w${round + n}`, "0", "4000"]));
      await Promise.all(
        three.map(async ({ child, lines, ended }, n) => {
          await expect.poll(() => lines.length, { interval: 5 }).toBeGreaterThan(5 + ((round * 7 + n * 5) % 23));
          child.kill("SIGKILL");
          await ended;
        }),
      );
      const list = openList(path);
      const items = new Map((await list.list()).map((item) => [item.id, item]));
      const order = ["pending", "in_progress", "completed"];
      for (const { lines } of three) {
        expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
        for (const line of lines) {
          const [, id = "", state = ""] = line.split(" ");
          told.set(Number(id), state);
        }
      }
      for (const [id, state] of told) {
        const item = items.get(id);
        expect(order.indexOf(item?.status ?? "")).toBeGreaterThanOrEqual(order.indexOf(state));
        if (item?.status === "in_progress") expect(item.owner).toMatch(/^w\d+$/);
      }
      // Tasks that the killed processes left in progress are released, each to exactly one other process.
      const left = [...items.values()].filter(({ status }) => status === "in_progress");
      expect(left.length).toBeLessThanOrEqual(3);
      expect(await list.releaseGone(async () => "it was killed")).toHaveLength(left.length);
      for (const { id } of left) {
        const claims = await Promise.all(["a", "b"].map((name) => list.claim(id, { name })));
        expect(claims.filter(({ ok }) => ok)).toHaveLength(1);
        expect(await list.complete(id, lead)).toMatchObject({ ok: true });
        told.set(id, "completed");
      }
      // Few tasks make a small file, so the next processes compact often and are killed while they do.
      for (const { id } of await list.list()) expect(await list.delete(id, lead)).toMatchObject({ ok: true });
      changed += told.size;
      told.clear();
      expect(list.problems().filter((problem) => !problem.includes("not a record"))).toEqual([]);
      await list.close();
    }
    expect(changed).toBeGreaterThan(rounds);
    expect(epochOf(path)).toBeGreaterThan(rounds / 3);
  });
});

function epochOf(path: string): number {
  const [header] = readLines(path).records;
  return (header?.value as { epoch: number } | undefined)?.epoch ?? 0;
}

describe("unresponsive owner", () => {
  async function teamWithTask() {
    const home = temporaryFolder();
    const store = createFileTeamStore({
      home,
      clock: systemClock,
      createId: createIdFactory(systemClock),
      leaseMs: 1500,
      beatMs: 50,
    });
    const team = await store.create({ name: "crew", cwd: home });
    onTestFinished(() => team.close());
    await team.record.join({ name: "a", cwd: home, backendType: "tmux" });
    await team.tasks.create({ subject: "t", description: "" }, lead);
    const owner = start(programs.hold, [home, "crew", "a"]);
    await expect.poll(() => owner.lines).toEqual(["claimed"]);
    const giveBack = () => team.tasks.releaseGone(({ name }) => team.presence.goneReason(name));
    return { home, team, owner, giveBack };
  }

  it("owner stopped past its lease: another claims the task, and the owner is refused (B3)", async () => {
    const { team, owner, giveBack } = await teamWithTask();
    expect(await giveBack()).toEqual([]);
    owner.child.kill("SIGSTOP");
    await expect.poll(giveBack).toMatchObject([{ id: 1, status: "pending" }]);
    expect(await team.presence.statusOf(team.record.current().members)).toMatchObject([
      {},
      { name: "a", alive: "unknown" },
    ]);
    expect(await team.tasks.claim(1, { name: "b" })).toMatchObject({ ok: true, item: { generation: 2 } });
    const inItsPlace = await team.presence.announce("a", "starting");
    owner.child.kill("SIGCONT");
    await expect.poll(() => owner.lines).toContain("lost");
    owner.child.stdin?.write("complete\nend\n");
    await owner.ended;
    expect(owner.lines).toEqual(["claimed", "lost", "stale"]);
    expect(await team.tasks.get(1)).toMatchObject({ owner: "b", status: "in_progress" });
    expect(await team.presence.look("a")).toMatchObject({ state: "starting", pid: process.pid });
    await inItsPlace.close();
  });

  it("owner with its event loop blocked past its lease: no crash, no second owner (B9)", async () => {
    const { team, owner, giveBack } = await teamWithTask();
    owner.child.stdin?.write("block 4000\n");
    await expect.poll(giveBack).toMatchObject([{ id: 1 }]);
    expect(await team.tasks.claim(1, { name: "b" })).toMatchObject({ ok: true });
    owner.child.stdin?.write("complete\nend\n");
    await owner.ended;
    expect(owner.lines).toEqual(["claimed", "unblocked", "stale"]);
    expect(owner.child.exitCode).toBe(0);
  });

  it("owner killed: its task is free at once, before the lease ends", async () => {
    const { team, owner, giveBack } = await teamWithTask();
    owner.child.kill("SIGKILL");
    await owner.ended;
    expect(await giveBack()).toMatchObject([{ id: 1, status: "pending" }]);
    expect(await team.presence.look("a")).toMatchObject({ alive: "dead" });
  });
});
