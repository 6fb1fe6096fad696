import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createFolderWatcher, currentProcess, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { AgentId, AgentPath, LimitSettings } from "../../../src/protocol/index.ts";
import { type AgentSlot, createSharedSlots, type SlotResult, type AgentSlots } from "../../../src/team/index.ts";
import { createSlotLedger } from "../../../src/team/limits/slot-ledger.ts";
import { createTestClock } from "../../../src/testing.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needUserNamespaces } from "../../support/processes/required-tools.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const file = () => join(tempTree({ "here/.keep": "" }).path("here"), "places.jsonl");

function open(path: string, settings?: LimitSettings, clock = systemClock, makeFolder?: () => void) {
  const watcher = createFolderWatcher({ rescanMs: 20 });
  const limits = createSharedSlots({
    path,
    settings,
    makeFolder,
    watcher,
    clock,
    createId: createIdFactory(systemClock),
  });
  onTestFinished(async () => {
    await limits.close();
    watcher.close();
  });
  return limits;
}

const placeOf = (answer: SlotResult): AgentSlot => {
  if (!answer.ok) throw new Error(answer.message);
  return answer.slot;
};
const admit = async (limits: AgentSlots) => placeOf(await limits.acquire({ parentDepth: 0 }));

/** Resolves once a request waits for a slot, with the promise of its result. */
async function waiting(limits: AgentSlots): Promise<{ place: Promise<SlotResult> }> {
  let place: Promise<SlotResult> | undefined;
  await new Promise<void>((queued, fail) => {
    place = limits.acquire({ parentDepth: 0, onQueued: () => queued() });
    place.then((answer) => fail(new Error(`it has not waited: ${JSON.stringify(answer)}`)), fail);
  });
  if (!place) throw new Error("nothing was asked");
  return { place };
}

test("a slot of one process is not free for another, and goes to the longest waiting request", async () => {
  const path = file();
  const a = open(path, { maxConcurrentAgents: 1 }).forSession({ sessionId: "a" });
  const first = await admit(a);
  const b = await waiting(open(path).forSession({ sessionId: "b" }));
  const c = await waiting(a);
  expect([a.running, a.queued, a.total]).toEqual([1, 2, 3]);
  first.release();
  const second = placeOf(await b.place);
  expect([a.running, a.queued]).toEqual([1, 1]);
  second.release();
  placeOf(await c.place).release();
});

test("total and depth are shared limits, as set by the lead", async () => {
  const path = file();
  const lead = open(path, { maxAgents: 3, maxDepth: 2 });
  const all = [
    lead.forSession({ sessionId: "lead" }),
    open(path).forSession({ sessionId: "a" }),
    open(path).forSession({ sessionId: "b" }),
  ];
  await admit(all[0] as AgentSlots);
  const came = await Promise.all(all.map((limits) => limits.acquire({ parentDepth: 1 })));
  expect(came.filter(({ ok }) => ok)).toHaveLength(2);
  expect(await all[2]?.acquire({ parentDepth: 2 })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/maxDepth is 2/),
  });
  expect(await all[1]?.acquire({ parentDepth: 1 })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/3 of at most 3 agents/),
  });
  await lead.close();
  // It continues with other settings.
  expect(
    await open(path, { maxAgents: 4 }).forSession({ sessionId: "lead" }).acquire({ parentDepth: 0 }),
  ).toMatchObject({ ok: true });
  expect(await all[1]?.acquire({ parentDepth: 0 })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/4 of at most 4 agents/),
  });
});

test("agents started according to a session's logs are counted once, however often it is opened", async () => {
  const path = file();
  const [agentPath, agentType, cwd, parent] = ["lead/a" as AgentPath, "worker", "/", "agt_00000000" as AgentId];
  const spawned = {
    type: "agent.spawned",
    path: agentPath,
    agentType,
    model: "a/b",
    permissionMode: "default",
    cwd,
  } as const;
  const open1 = open(path).forSession({ sessionId: "a" });
  open1.countEarlier({ ...spawned, parent });
  open1.countEarlier({ ...spawned, parent });
  (await admit(open1)).release();
  expect(open1.total).toBe(3);
  const again = open(path).forSession({ sessionId: "a" });
  for (let times = 0; times < 3; times++) again.countEarlier({ ...spawned, parent });
  expect(again.total).toBe(3);
  expect(open(path).forSession({ sessionId: "b" }).total).toBe(3);
});

test("slots of a killed process are released, and its started agents stay counted", async () => {
  const path = file();
  const program = await buildProgram("hold-slots.ts");
  onTestFinished(() => program.remove());
  const lead = open(path, { maxConcurrentAgents: 2 }).forSession({ sessionId: "lead" });
  lead.acquireSlotNow("scout@alpha");
  const child = spawn(process.execPath, [program.path, path, "2"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const next = await waiting(lead);
  child.kill("SIGKILL");
  placeOf(await next.place).release();
  // The member that it was no longer waits for anything.
  expect([lead.running, lead.queued, lead.total]).toEqual([1, 0, 3]);
});

const elsewhere = { ...currentProcess(), pid: 7, pidNamespace: "pid:[1]" };
const wrote = (path: string, entries: readonly object[]) =>
  writeFileSync(path, entries.map((entry) => `${JSON.stringify({ at: 1, ...entry })}\n`).join(""));

test("a reopened session gets the slots of its previous run, even if that may still be alive", async () => {
  const path = file();
  const other = { ...elsewhere, pid: 8 };
  wrote(path, [
    { do: "ask", id: "1", who: "lead", by: elsewhere },
    { do: "take", id: "2", who: "lead", member: "scout@alpha", by: elsewhere },
    { do: "ask", id: "3", who: "in the lead's process", by: elsewhere },
    { do: "ask", id: "4", who: "in a separate process", by: other },
    { do: "take", id: "5", member: "scout@alpha" },
  ]);
  const lead = open(path, { maxConcurrentAgents: 2 }).forSession({ sessionId: "lead" });
  placeOf(await lead.acquire({ parentDepth: 0 })).release();
  expect([lead.running, lead.queued, lead.total]).toEqual([1, 0, 4]);
});

test("a respawned member releases exactly its old slots before anything else", async () => {
  const path = file();
  wrote(path, [
    { do: "limit", to: { maxConcurrentAgents: 3, maxDepth: 1, maxAgents: 9, maxSpawnsPerMinute: 9 } },
    { do: "take", id: "1", who: "lead", member: "scout@alpha", by: elsewhere },
    { do: "ask", id: "2", who: "scout", by: elsewhere },
    { do: "ask", id: "3", who: "other", by: elsewhere },
    { do: "away", id: "4", who: "scout before", member: "scout@alpha", by: elsewhere },
  ]);
  const looksOn = open(path).forSession({ sessionId: "observer", member: "observer@alpha" });
  expect(looksOn.running).toBe(2);
  open(path)
    .forSession({ sessionId: "scout", member: "scout@alpha" })
    .countEarlier({ type: "agent.idle", reason: "completed" });
  expect(looksOn.running).toBe(2);
  expect(readFileSync(path, "utf8").match(/"leave","id":"."/g)).toEqual(['"leave","id":"2"', '"leave","id":"4"']);
});

test("a second run in one process has the slots of the first", async () => {
  const path = file();
  await admit(open(path, { maxConcurrentAgents: 1 }).forSession({ sessionId: "lead" }));
  const again = open(path, { maxConcurrentAgents: 1 }).forSession({ sessionId: "lead" });
  (await admit(again)).release();
  expect([again.running, again.total]).toEqual([0, 2]);
});

test("a reused pid does not hold a slot", async () => {
  const path = file();
  wrote(path, [{ do: "ask", id: "1", who: "a", by: { ...currentProcess(), startedAt: "0" } }]);
  (await admit(open(path, { maxConcurrentAgents: 1 }).forSession({ sessionId: "b" }))).release();
});

test.each([
  ["removed", (path: string) => rmSync(path)],
  ["removed with its folder", (path: string) => rmSync(dirname(path), { recursive: true })],
  ["emptied", (path: string) => truncateSync(path)],
  ["cut", (path: string) => truncateSync(path, readFileSync(path, "utf8").indexOf("\n", 600) + 1)],
])("after the file was %s in use, the slots are rebuilt from their holders", async (_, lose) => {
  const path = file();
  const makeFolder = () => void mkdirSync(dirname(path), { recursive: true });
  const a = open(path, { maxConcurrentAgents: 2, maxAgents: 7 }, systemClock, makeFolder).forSession({
    sessionId: "a",
  });
  const b = open(path).forSession({ sessionId: "b" });
  (await admit(a)).release();
  const held = [await admit(a), await admit(b)];
  const goesOn = held[1]?.lend();
  const third = await admit(b);
  const back = goesOn?.();
  const fourth = await waiting(b);
  expect([a.running, a.queued]).toEqual([2, 1]);
  lose(path);
  const fifth = await waiting(a);
  expect([a.running, a.queued, a.total]).toEqual([2, 2, 6]);
  expect([b.running, b.queued, b.total]).toEqual([2, 2, 6]);
  held[0]?.release();
  await back;
  third.release();
  placeOf(await fourth.place).release();
  placeOf(await fifth.place).release();
  held[1]?.release();
  const c = open(path).forSession({ sessionId: "c" });
  expect([c.running, c.queued, c.total]).toEqual([0, 0, 6]);
  (await admit(c)).release();
  expect(await a.acquire({ parentDepth: 0 })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/7 of at most 7 agents/),
  });
});

test("a process writes its slots again when the file is lost", async () => {
  const path = file();
  const a = open(path, { maxConcurrentAgents: 2 }).forSession({ sessionId: "a" });
  const first = await admit(a);
  const b = open(path).forSession({ sessionId: "b" });
  const [second, third] = [await admit(b), await waiting(b)];
  rmSync(path);
  // It has read nothing since its own record was written.
  expect([a.running, a.queued, a.total]).toEqual([1, 0, 1]);
  expect([b.running, b.queued]).toEqual([2, 1]);
  expect([a.running, a.queued]).toEqual([2, 1]);
  first.release();
  placeOf(await third.place).release();
  second.release();
  expect([a.running, b.running, a.queued]).toEqual([0, 0, 0]);
});

test("nothing is created, opened or watched while no agent is started", async () => {
  const path = join(dirname(file()), "session", "places.jsonl");
  const folder = createFolderWatcher();
  let follows = 0;
  const watcher = {
    ...folder,
    follow: (...args: Parameters<typeof folder.follow>) => (follows++, folder.follow(...args)),
  };
  const makeFolder = () => void mkdirSync(dirname(path), { recursive: true });
  const limits = createSharedSlots({
    path,
    settings: {},
    makeFolder,
    watcher,
    clock: systemClock,
    createId: createIdFactory(systemClock),
  });
  onTestFinished(() => folder.close());
  const lead = limits.forSession({ sessionId: "lead" });
  lead.countEarlier({ type: "agent.idle", reason: "completed" });
  expect([existsSync(dirname(path)), follows]).toEqual([false, 0]);
  (await admit(lead)).release();
  expect([existsSync(path), follows]).toEqual([true, 1]);
  await limits.close();
});

test("on a full disk no agent starts, and releases take effect when there is space", async () => {
  needUserNamespaces();
  const program = await buildProgram("shared-slots-on-full-disk.ts");
  onTestFinished(() => program.remove());
  const script = 'mount -t tmpfs -o size=64k none "$2" && exec "$0" "$1" "$2"';
  const folder = tempTree({ "here/.keep": "" }).path("here");
  const args = ["-Urm", "sh", "-c", script, process.execPath, program.path, folder];
  const result = JSON.parse(execFileSync("unshare", args, { encoding: "utf8" })) as unknown;
  expect(result).toEqual({ waited: true, running: 1, queued: 0, total: 22 });
});

test("a member that waits for its subagent blocks no start, and never waits itself", async () => {
  const path = file();
  const lead = open(path, { maxConcurrentAgents: 1 }).forSession({ sessionId: "lead" });
  const own = lead.acquireSlotNow("scout@alpha");
  const scout = open(path).forSession({ sessionId: "scout", member: "scout@alpha" });
  const goesOn = [scout.lendOwnSlot(), scout.lendOwnSlot()];
  const child = await admit(scout);
  goesOn[0]?.();
  expect(lead.running).toBe(1);
  goesOn[1]?.();
  expect(lead.running).toBe(2);
  child.release();
  const next = await waiting(lead);
  own.release();
  placeOf(await next.place).release();
});

test("the limit per minute is shared by all processes", async () => {
  const path = file();
  const clock = createTestClock();
  const a = open(path, { maxSpawnsPerMinute: 2 }, clock).forSession({ sessionId: "a" });
  const b = open(path, undefined, clock).forSession({ sessionId: "b" });
  (await admit(a)).release();
  (await admit(b)).release();
  const next = await waiting(b);
  expect(a.queued).toBe(1);
  await clock.advance(60_000);
  placeOf(await next.place).release();
  expect([a.running, a.queued, clock.sleeping]).toEqual([0, 0, 0]);
});

test("closing releases all slots and is not awaited", async () => {
  const path = file();
  const a = open(path, { maxConcurrentAgents: 1 });
  const place = await admit(a.forSession({ sessionId: "a" }));
  const next = await waiting(open(path).forSession({ sessionId: "b" }));
  await a.close();
  placeOf(await next.place);
  place.release();
  expect(readFileSync(path, "utf8")).toContain('"do":"leave"');
});

test("property: never too many across processes in any order, and all get their turn", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), async (scheduler, atOnce) => {
      const path = file();
      const all = [open(path, { maxConcurrentAgents: atOnce }), open(path), open(path)].map((limits, index) =>
        limits.forSession({ sessionId: String(index) }),
      );
      let most = 0;
      const work = async (limits: AgentSlots) => {
        const place = await admit(limits);
        most = Math.max(most, limits.running);
        await scheduler.schedule(Promise.resolve());
        place.release();
      };
      // The lead's settings are there before any other process asks.
      await scheduler.waitFor(work(all[0] as AgentSlots));
      await scheduler.waitFor(Promise.all([...all, ...all, ...all].map(work)));
      expect(most).toBeLessThanOrEqual(atOnce);
      expect(all.map(({ running, queued, total }) => [running, queued, total])).toEqual(all.map(() => [0, 0, 10]));
    }),
    { numRuns: 15 },
  );
});

test("a request that stands twice in the file counts once", () => {
  const answers: string[] = [];
  const ledger = createSlotLedger((id, answer) => answers.push(`${id} ${answer}`));
  for (const id of ["a", "a", "b"]) ledger.apply({ do: "ask", id, who: "lead", at: 0 });
  expect({ answers, running: ledger.running, queued: ledger.queued, total: ledger.total }).toEqual({
    answers: ["a started", "b started"],
    running: 2,
    queued: 0,
    total: 2,
  });
});
