import { randomFillSync } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/platform/index.ts";
import type { AgentId, SessionId } from "../../src/protocol/index.ts";
import {
  createFileSessionStore,
  createMemorySessionStore,
  createMemoryWorld,
  type SessionStore,
} from "../../src/store/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { createId, newSessionId, note, sampleEvents, storeOptions } from "../support/store/sample-events.ts";

function fileStore(): { store: SessionStore; home: string; cwd: string } {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const cwd = join(folder, "work");
  mkdirSync(cwd);
  return { store: createFileSessionStore({ ...storeOptions, home }), home, cwd: realpathSync(cwd) };
}

async function writeSession(store: SessionStore, cwd: string, prompt = "Say hello"): Promise<SessionId> {
  const sessionId = newSessionId();
  const session = await store.create({ sessionId, cwd });
  await session.leadLog.recordAll(sampleEvents(sessionId, { cwd, prompt }));
  await session.close();
  return sessionId;
}

const stores = {
  file: () => fileStore(),
  memory: () => ({ ...fileStore(), store: createMemorySessionStore(storeOptions) }),
  "memory of a world": () => ({
    ...fileStore(),
    store: createMemoryWorld({ clock: systemClock, fillRandom: randomFillSync }).startProcess().sessions,
  }),
};

describe.each(["file", "memory", "memory of a world"] as const)("session store (%s)", (kind) => {
  const make = stores[kind];

  it("reopens a created session with the log of every agent", async () => {
    const { store, cwd } = make();
    const sessionId = newSessionId();
    const agentId = createId<AgentId>("agt");
    const first = await store.create({ sessionId, cwd });
    const lead = await first.leadLog.recordAll(sampleEvents(sessionId, { cwd }));
    const agentLog = await first.agentLog(agentId);
    expect(await first.agentLog(agentId)).toBe(agentLog);
    const said = await agentLog.record(note("hello"));
    await first.close();
    await expect(agentLog.record(note("late"))).rejects.toMatchObject({ code: "session_closed" });

    const second = await store.open(sessionId);
    expect(second).toMatchObject({ sessionId, cwd, notices: [] });
    expect(second.leadLog.agent).toBe(first.leadLog.agent);
    expect(second.leadLog.replayed).toEqual(lead);
    const reopened = await second.agentLog(agentId);
    expect(reopened.replayed).toEqual([said]);
    expect((await reopened.record(note("again"))).seq).toBe(2);
    const reading = await store.read(sessionId);
    expect(reading.lead).toEqual(lead);
    expect([...reading.agents.keys()]).toEqual([agentId]);
    expect(reading.agents.get(agentId)).toHaveLength(2);
    await second.close();
  });

  it("allows one opener at a time", async () => {
    const { store, cwd } = make();
    const sessionId = await writeSession(store, cwd);
    const session = await store.open(sessionId);
    await expect(store.open(sessionId)).rejects.toMatchObject({ code: "session_busy" });
    expect((await store.read(sessionId)).lead).toHaveLength(8);
    await session.close();
    await (await store.open(sessionId)).close();
  });

  it("lists the newest first, and finds the latest of a folder", async () => {
    const { store, cwd } = make();
    expect(await store.list()).toEqual([]);
    expect(await store.latest(cwd)).toBeUndefined();
    const older = await writeSession(store, cwd, "older");
    const newer = await writeSession(store, cwd, `newer\n\n  prompt ${"x".repeat(500)}`);
    const list = await store.list();
    expect(list.map(({ sessionId }) => sessionId)).toEqual([newer, older]);
    expect(list[1]).toMatchObject({ cwd, firstPrompt: "older", model: "scripted/a", turns: 1 });
    expect(list[0]?.firstPrompt).toMatch(/^newer prompt x{100,190}$/);
    expect(await store.latest(cwd)).toEqual(list[0]);
  });

  it("a name is listed, and a session in which nothing happened is removed and never the latest", async () => {
    const { store, cwd } = make();
    const named = await writeSession(store, cwd);
    const session = await store.open(named);
    for (const name of ["first", "login work"]) await session.leadLog.record({ type: "session.named", name });
    await session.close();
    const sessionId = "ses_nothinghappened" as SessionId;
    const unused = await store.create({ sessionId, cwd });
    await unused.leadLog.record({ type: "session.opened", sessionId, version: "0", cwd, resumed: false });
    await unused.close();
    expect(await store.latest(cwd)).toMatchObject({ sessionId: named, name: "login work" });
    expect(await store.removeIfEmpty(named)).toBe(false);
    expect(await store.removeIfEmpty(sessionId)).toBe(true);
    expect((await store.list()).map((each) => each.sessionId)).toEqual([named]);
  });

  it("a teammate's session is never the latest of a folder: resuming there means the lead", async () => {
    const { store, cwd } = make();
    const lead = await writeSession(store, cwd);
    const scout = await writeSession(store, cwd);
    const session = await store.open(scout);
    await session.leadLog.record({ type: "team.joined", team: "alpha", name: "scout", role: "teammate" });
    await session.close();
    expect((await store.list())[0]).toMatchObject({ sessionId: scout });
    expect(await store.latest(cwd)).toMatchObject({ sessionId: lead });
  });

  it("names other sessions when one is not found", async () => {
    const { store, cwd } = make();
    await expect(store.open(newSessionId())).rejects.toThrow(", and no other session yet.");
    const sessionId = await writeSession(store, cwd);
    for (const id of [newSessionId(), "../../etc/passwd", "", "nonsense", "ses_\0"]) {
      await expect(store.open(id)).rejects.toMatchObject({ code: "session_not_found" });
      await expect(store.read(id)).rejects.toThrow(sessionId);
    }
    await expect(store.open(sessionId.slice(0, -1))).rejects.toThrow("Did you mean");
  });
});

describe.each(["file", "memory"] as const)("session store with folders (%s)", (kind) => {
  it("keeps outputs separate and returns folders that exist", async () => {
    const { store, cwd } = stores[kind]();
    const session = await store.create({ sessionId: newSessionId(), cwd });
    const first = await session.saveOutput("../../call 1.txt", "one");
    const second = await session.saveOutput("../../call 1.txt", Buffer.from([1, 2]));
    expect(first).not.toBe(second);
    expect(readFileSync(first, "utf8")).toBe("one");
    expect([...readFileSync(second)]).toEqual([1, 2]);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    writeFileSync(session.taskOutputFile("bg_00000001"), "out");
    expect(statSync(await session.scratchFolder()).mode & 0o777).toBe(0o700);
    await session.close();
  });
});

describe("session on disk", () => {
  it("leaves no trace before its first record", async () => {
    const { store, home, cwd } = fileStore();
    const session = await store.create({ sessionId: newSessionId(), cwd });
    await session.agentLog(createId<AgentId>("agt"));
    await session.close();
    expect(existsSync(home)).toBe(false);
    await expect(store.create({ sessionId: newSessionId(), cwd: join(cwd, "none") })).rejects.toMatchObject({
      code: "storage",
    });
  });

  it("has mode 0600 for files and 0700 for folders, whatever the umask", async () => {
    const { store, home, cwd } = fileStore();
    const before = process.umask(0);
    try {
      const session = await store.create({ sessionId: newSessionId(), cwd });
      await session.leadLog.recordAll(sampleEvents(session.sessionId, { cwd }));
      await (await session.agentLog(createId<AgentId>("agt"))).record(note("a"));
      await session.saveOutput("a.txt", "x");
      await session.scratchFolder();
      session.taskOutputFile("bg_00000001");
      await session.close();
    } finally {
      process.umask(before);
    }
    const all = readdirSync(home, { recursive: true, withFileTypes: true });
    expect(all.length).toBeGreaterThan(8);
    for (const entry of all) {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
      expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
    const files = all
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length));
    const session = "/projects/[a-z0-9-]+~[0-9a-z]{16}/ses_[0-9a-z]{26}";
    for (const pattern of ["\\.jsonl", "/owner\\.jsonl", "/subagents/agt_[0-9a-z]{26}\\.jsonl", "/results/a\\.txt"]) {
      expect(files.filter((file) => new RegExp(`^${session}${pattern}$`).test(file))).toHaveLength(1);
    }
  });

  it("cannot be created twice, nor by two at once", async () => {
    const { store, cwd } = fileStore();
    const sessionId = await writeSession(store, cwd);
    const twice = await store.create({ sessionId, cwd });
    await expect(twice.leadLog.record(note("x"))).rejects.toThrow("already exists");
    await twice.close();
    const other = newSessionId();
    const [one, two] = [await store.create({ sessionId: other, cwd }), await store.create({ sessionId: other, cwd })];
    await one.leadLog.recordAll(sampleEvents(other, { cwd }));
    await expect(two.leadLog.record(note("x"))).rejects.toMatchObject({ code: "session_busy" });
    await two.close();
    await one.close();
    expect((await store.read(other)).lead).toHaveLength(8);
  });

  it("reports torn ends, for the lead and for agents", async () => {
    const { store, cwd, home } = fileStore();
    const sessionId = newSessionId();
    const agentId = createId<AgentId>("agt");
    const session = await store.create({ sessionId, cwd });
    await session.leadLog.recordAll(sampleEvents(sessionId, { cwd }));
    await (await session.agentLog(agentId)).recordAll([note("a"), note("b")]);
    await session.close();
    for (const path of logsIn(home)) writeFileSync(path, readFileSync(path).subarray(0, -30));
    expect((await store.read(sessionId)).lead).toHaveLength(7);
    const resumed = await store.open(sessionId);
    expect(resumed.notices).toHaveLength(1);
    expect((await resumed.agentLog(agentId)).replayed).toHaveLength(1);
    expect(resumed.notices).toHaveLength(2);
    await resumed.close();
  });

  it("damaged: is refused without a claim left behind, and can be repaired", async () => {
    const { store, cwd, home } = fileStore();
    const sessionId = await writeSession(store, cwd);
    const [path = ""] = logsIn(home);
    writeFileSync(path, readFileSync(path, "utf8").replace("hällo", "hallo"));
    await expect(store.open(sessionId)).rejects.toMatchObject({ code: "session_damaged" });
    await expect(store.open(sessionId)).rejects.toMatchObject({ code: "session_damaged" });
    const [report] = await store.repair(sessionId);
    expect(report?.problems).toHaveLength(2);
    const session = await store.open(sessionId);
    expect(session.leadLog.replayed).toHaveLength(8);
    await expect(store.repair(sessionId)).rejects.toMatchObject({ code: "session_busy" });
    await session.close();
    expect((await store.list()).map((summary) => summary.sessionId)).toEqual([sessionId]);
  });

  it("is found from another folder, and after its folder is deleted", async () => {
    const { store, cwd } = fileStore();
    const sessionId = await writeSession(store, cwd);
    rmSync(cwd, { recursive: true });
    const session = await store.open(sessionId);
    expect(session.cwd).toBe(cwd);
    await session.close();
  });

  it("is summarized from the ends of a long log, and shown even if damaged or newer", async () => {
    const { store, cwd, home } = fileStore();
    const sessionId = newSessionId();
    const session = await store.create({ sessionId, cwd });
    const [opened, spawned, ...rest] = sampleEvents(sessionId, { cwd, prompt: "the first" });
    if (opened === undefined || spawned === undefined) throw new Error("no sample");
    await session.leadLog.recordAll([
      opened,
      spawned,
      { type: "context.composed", system: ["s".repeat(200_000)] },
      ...rest,
    ]);
    await session.leadLog.recordAll(Array.from({ length: 300 }, () => note("n".repeat(3_000))));
    await session.leadLog.record({ type: "turn.started", turn: 42, model: "scripted/b" });
    await session.close();
    expect(await store.latest(cwd)).toMatchObject({ cwd, firstPrompt: "the first", turns: 42, model: "scripted/b" });
    const [path = ""] = logsIn(home);
    writeFileSync(path, "\nnot JSON\n");
    expect(await store.latest(cwd)).toMatchObject({ sessionId, problem: expect.stringContaining("damaged") });
    writeFileSync(path, '\n{"v":1,"torn');
    expect(await store.list()).toMatchObject([{ sessionId, problem: "its beginning is damaged" }]);
    await expect(store.open(sessionId)).rejects.toThrow("contains no events");
  });

  it("has start and update times from its events", async () => {
    const { store, cwd } = fileStore();
    const before = new Date(systemClock.now()).toISOString();
    await writeSession(store, cwd);
    const [summary] = await store.list();
    expect(summary?.startedAt.localeCompare(before)).toBeGreaterThanOrEqual(0);
    expect(summary?.updatedAt.localeCompare(summary.startedAt)).toBeGreaterThanOrEqual(0);
  });
});

function logsIn(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => /\/(ses|agt)_\w+\.jsonl$/.test(name))
    .map((name) => join(home, name));
}
