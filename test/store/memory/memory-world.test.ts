import { describe, expect, it } from "vitest";
import type { AgentId, SessionId } from "../../../src/protocol/index.ts";
import { createMemoryWorld, type MemoryProcess, type StoredTeam } from "../../../src/store/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { textMail, textsOf } from "../../support/mail/sample-mail.ts";
import { note, sampleEvents } from "../../support/store/sample-events.ts";

/** `killAt` is the number of the record after which its writer is killed. */
function start({ killAt }: { killAt?: number } = {}) {
  const clock = createTestClock();
  const paths: string[] = [];
  const world = createMemoryWorld({
    clock,
    fillRandom: (bytes) => bytes.fill(7),
    onRecord: ({ process, path }) => {
      if (paths.push(path) === killAt) process.kill();
    },
  });
  return { world, clock, paths };
}

const cwd = "/work";
const worker = (name: string) => ({ name, cwd, backendType: "in-process" as const });
const nextRound = () => new Promise((resolve) => setImmediate(resolve));

/** True once the promise has settled, judged when nothing else is left to run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => void (settled = true);
  promise.then(settle, settle);
  await nextRound();
  return settled;
}

async function openSession(process: MemoryProcess) {
  const sessionId = process.createId<SessionId>("ses");
  return { sessionId, session: await process.sessions.create({ sessionId, cwd }) };
}

describe("killed process in memory", () => {
  it("leaves its records, and nothing that it did not store", async () => {
    const { world } = start();
    const [lead, other] = [world.startProcess(), world.startProcess()];
    const team = await lead.teams.create({ name: "crew", cwd });
    const seen = await other.teams.open("crew");
    await team.record.join(worker("anna"));
    await team.tasks.create({ subject: "a", description: "" }, { name: "team-lead" });
    await team.inbox("anna").send(textMail("stored"));
    const late: Promise<unknown>[] = [
      team.record.join(worker("late")),
      team.tasks.claim(1, { name: "anna" }),
      team.inbox("anna").send(textMail("late")),
    ];
    lead.kill();
    late.push(team.record.end("anna", { reason: "lost" }), team.record.read());
    for (const call of late) expect(await isSettled(call)).toBe(false);
    expect((await seen.record.read()).members.map(({ name, ended }) => [name, ended])).toEqual([
      ["team-lead", undefined],
      ["anna", undefined],
    ]);
    expect(await seen.tasks.get(1)).toMatchObject({ status: "pending" });
    expect(textsOf((await seen.inbox("anna").peek()).mail)).toEqual(["stored"]);
  });

  it("follows nothing more, and its sleeps do not end", async () => {
    const { world, clock } = start();
    const [one, two] = [world.startProcess(), world.startProcess()];
    const team = await one.teams.create({ name: "crew", cwd });
    const heard: string[] = [];
    const follow = async (process: MemoryProcess, from: StoredTeam) => {
      const { signal } = new AbortController();
      for await (const { members } of from.record.follow(signal))
        heard.push(`${process.identity.pid} ${members.length}`);
    };
    const ends = [follow(one, await one.teams.open("crew")), follow(two, await two.teams.open("crew"))];
    const reader = await (await two.teams.open("crew")).inbox("anna").openReader();
    const mail = reader.follow(new AbortController().signal)[Symbol.asyncIterator]().next();
    const asleep = two.clock.sleep(10);
    await team.record.join(worker("anna"));
    await nextRound();
    two.kill();
    await team.record.join(worker("bert"));
    await team.inbox("anna").send(textMail("a"));
    await clock.advance(100);
    expect(clock.sleeping).toBe(0);
    for (const call of [...ends, mail, asleep, two.clock.sleep(1)]) expect(await isSettled(call)).toBe(false);
    expect(heard).toEqual(["1001 2", "1002 2", "1001 3"]);
  });

  it("is dead for others at once; its inbox and its member are free", async () => {
    const { world, clock } = start();
    const [one, two] = [world.startProcess(), world.startProcess()];
    const team = await one.teams.create({ name: "crew", cwd });
    const seen = await two.teams.open("crew");
    await team.presence.announce("anna", "working");
    await team.inbox("anna").openReader();
    await clock.advance(60_000);
    expect(await seen.presence.look("anna")).toMatchObject({ alive: "alive", expired: false });
    await expect(seen.presence.announce("anna", "starting")).rejects.toMatchObject({ code: "team" });
    await expect(seen.inbox("anna").openReader()).rejects.toThrow("in use by process 1001 on memory");
    one.kill();
    expect(await seen.presence.goneReason("anna")).toBe("the process of anna (1001) is gone");
    await seen.presence.announce("anna", "starting");
    expect(await seen.presence.look("anna")).toMatchObject({ alive: "alive", pid: 1002 });
    await seen.inbox("anna").openReader();
  });

  it("between any two records of a session: the next process continues from exactly the stored ones", async () => {
    const { world, paths } = start();
    const whole = await openSession(world.startProcess());
    await whole.session.leadLog.recordAll(sampleEvents(whole.sessionId, { cwd }));
    const count = paths.length;
    expect(count).toBeGreaterThan(4);
    for (let killAt = 1; killAt <= count; killAt++) {
      const { world: next } = start({ killAt });
      const first = next.startProcess();
      const { sessionId, session } = await openSession(first);
      const recorded = session.leadLog.recordAll(sampleEvents(sessionId, { cwd }));
      expect(await isSettled(recorded)).toBe(false);
      expect(first.isDead).toBe(true);
      const again = await next.startProcess().sessions.open(sessionId);
      expect(again.leadLog.replayed.map(({ seq }) => seq)).toEqual(Array.from({ length: killAt }, (_, i) => i + 1));
      expect((await again.leadLog.record(note("again"))).seq).toBe(killAt + 1);
    }
  });

  it("before the first record of a session: the session does not exist, and its id can be used", async () => {
    const { world } = start();
    const first = world.startProcess();
    const { sessionId } = await openSession(first);
    first.kill();
    const { sessions } = world.startProcess();
    expect(await sessions.has(sessionId)).toBe(false);
    await (await sessions.create({ sessionId, cwd })).close();
  });
});

describe("session in a memory world", () => {
  it("keeps the logs and outputs of all agents for the next process, without a folder", async () => {
    const { world } = start();
    const first = world.startProcess();
    const { sessionId, session } = await openSession(first);
    await session.leadLog.recordAll(sampleEvents(sessionId, { cwd }));
    const agents = [first.createId<AgentId>("agt"), first.createId<AgentId>("agt")];
    for (const agent of agents) await (await session.agentLog(agent)).record(note(agent));
    expect(await session.saveOutput("a b", "one")).not.toBe(await session.saveOutput("a b", "two"));
    await expect(world.startProcess().sessions.open(sessionId)).rejects.toMatchObject({ code: "session_busy" });
    first.kill();
    const again = await world.startProcess().sessions.open(sessionId);
    for (const agent of agents) expect((await again.agentLog(agent)).replayed).toHaveLength(1);
    expect(await again.scratchFolder()).toMatch(/^\/memory\//);
    await again.close();
  });

  it("has its own task list, shared by all processes", async () => {
    const { world } = start();
    const [one, two] = [world.startProcess(), world.startProcess()].map((process) => process.openTaskList("/tasks"));
    await one?.create({ subject: "a", description: "" }, { name: "team-lead" });
    expect(await two?.list()).toMatchObject([{ id: 1, subject: "a" }]);
  });
});

describe("full disk in memory", () => {
  const full = { code: "storage", cause: { code: "ENOSPC" } };

  it("rejects every write without a trace until there is space, for the world or one process", async () => {
    const { world, paths } = start();
    const [one, two] = [world.startProcess(), world.startProcess()];
    const team = await one.teams.create({ name: "crew", cwd });
    const { sessionId, session } = await openSession(one);
    const presence = await team.presence.announce("team-lead", "working");
    const inbox = team.inbox("team-lead");
    await inbox.send(textMail("a"));
    const reader = await inbox.openReader();
    const [held] = await reader.unread();
    const before = [...paths];
    for (const disk of [one.disk, world.disk]) {
      disk.fill();
      const writes = [
        () => one.teams.create({ name: "late", cwd }),
        () => team.record.join(worker("late")),
        () => team.tasks.create({ subject: "late", description: "" }, { name: "team-lead" }),
        () => inbox.send(textMail("late")),
        () => reader.mark(held ? [held.mail.id] : [], "read"),
        () => team.presence.announce("late", "working"),
        () => session.leadLog.recordAll(sampleEvents(sessionId, { cwd })),
        () => session.saveOutput("late", "late"),
      ];
      for (const write of writes) await expect(write()).rejects.toMatchObject(full);
      // A known file is rewritten in place, which needs no space.
      await presence.set(disk === one.disk ? "waiting" : "idle");
      expect(await two.teams.create({ name: "two", cwd }).catch(() => "full")).toEqual(
        disk === one.disk ? expect.objectContaining({ name: "two" }) : "full",
      );
      disk.free();
    }
    expect(paths.filter((path) => !path.includes("/two/"))).toEqual(before);
    expect((await session.leadLog.record(note("now"))).seq).toBe(1);
    await reader.mark(held ? [held.mail.id] : [], "read");
    expect(await reader.unread()).toEqual([]);
  });
});
