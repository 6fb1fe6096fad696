import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeLine } from "../../src/platform/index.ts";
import type { AgentId, StoredEnvelope, StoredEvent } from "../../src/protocol/index.ts";
import { createMemoryLog, type EventLog, openEventLog, repairLog } from "../../src/store/index.ts";
import { isSoak } from "../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { createId, newSessionId, note, sampleEvents, storeOptions } from "../support/store/sample-events.ts";

const session = newSessionId();
const agent = createId<AgentId>("agt");
const openAt = (path: string): Promise<EventLog> => openEventLog({ ...storeOptions, path, session, agent });

async function sampleLog({ count = 8 } = {}): Promise<{ path: string; envelopes: StoredEnvelope[] }> {
  const path = join(temporaryFolder(), "log.jsonl");
  const log = await openAt(path);
  const envelopes = await log.recordAll(sampleEvents(session).slice(0, count));
  await log.close();
  return { path, envelopes };
}

const call = (input: unknown): StoredEvent =>
  ({ type: "tool.called", turn: 1, callId: "c", name: "A", input, title: "" }) as StoredEvent;

const lineOf = (envelope: object): string => encodeLine(envelope);

describe.each(["file", "memory"])("event log (%s)", (kind) => {
  const open = () =>
    kind === "memory"
      ? Promise.resolve(createMemoryLog({ ...storeOptions, session, agent }))
      : openAt(join(temporaryFolder(), "log.jsonl"));

  it("numbers events from 1 without a gap, in call order", async () => {
    const log = await open();
    const events = sampleEvents(session);
    const recorded = await Promise.all(events.map((event) => log.record(event)));
    expect(recorded.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(recorded.map(({ event }) => event)).toEqual(events);
    const more = await log.recordAll([note("a"), note("b")]);
    expect(more.map(({ seq }) => seq)).toEqual([9, 10]);
    expect(new Set([...recorded, ...more].map(({ id }) => id)).size).toBe(10);
    expect(log).toMatchObject({ session, agent, replayed: [], notices: [] });
    await log.close();
    await log.close();
    await expect(log.record(note("late"))).rejects.toMatchObject({ code: "session_closed" });
  });

  it("refuses an event that it could not read back, and keeps the number for the next", async () => {
    const log = await open();
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    await expect(log.record(call(circular))).rejects.toMatchObject({ code: "storage" });
    await expect(log.record(call(undefined))).rejects.toThrow(TypeError);
    await expect(log.record({ type: "turn.started", turn: Number.NaN, model: "a" })).rejects.toThrow(TypeError);
    expect((await log.record(note("a"))).seq).toBe(1);
    await log.close();
  });
});

describe("opening an event log", () => {
  it("replays the recorded events and continues after them", async () => {
    const { path, envelopes } = await sampleLog();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const log = await openEventLog({ ...storeOptions, path, session, agent: createId<AgentId>("agt") });
    expect(log.agent).toBe(agent);
    expect(log.replayed).toEqual(envelopes);
    expect((await log.record(note("again"))).seq).toBe(9);
    await log.close();
    expect((await openAt(path)).replayed).toHaveLength(9);
  });

  it("creates nothing when there is nothing", async () => {
    const path = join(temporaryFolder(), "none", "log.jsonl");
    const log = await openAt(path);
    await log.close();
    expect(existsSync(path)).toBe(false);
  });

  it("cut at any length gives a prefix of the log, sets the torn rest aside and continues", async () => {
    const { path, envelopes } = await sampleLog({ count: 3 });
    const whole = readFileSync(path);
    const ends = lineEnds(whole);
    for (let length = 0; length < whole.length; length++) {
      const cut = `${path}-${length}`;
      writeFileSync(cut, whole.subarray(0, length));
      const log = await openAt(cut);
      const count = ends.filter((end) => end <= length).length;
      expect(log.replayed).toEqual(envelopes.slice(0, count));
      const rest = length - (ends[count - 1] ?? 0);
      expect(log.notices).toHaveLength(rest > 2 ? 1 : log.notices.length);
      if (length % 40 !== 0) continue;
      expect((await log.record(note("on"))).seq).toBe(count + 1);
      await log.close();
      expect((await openAt(cut)).replayed).toHaveLength(count + 1);
    }
    const aside = readdirSync(join(path, "..")).filter((name) => name.includes(".torn-"));
    expect(aside.length).toBeGreaterThan(whole.length / 2);
    expect(statSync(join(path, "..", aside[0] ?? "")).mode & 0o777).toBe(0o600);
  });

  it("with any byte changed gives the same events or reports the damage", async () => {
    const { path, envelopes } = await sampleLog({ count: 4 });
    const whole = readFileSync(path);
    const changed = join(temporaryFolder(), "log.jsonl");
    let [tried, refused] = [0, 0];
    // The suite changes every seventh byte.
    for (let at = 0; at < whole.length; at += isSoak ? 1 : 7) {
      for (const change of [(byte: number) => byte ^ 1, (byte: number) => byte ^ 0x80, () => 0x0a]) {
        const bytes = Buffer.from(whole);
        bytes[at] = change(bytes[at] ?? 0);
        tried += 1;
        writeFileSync(changed, bytes);
        const opened = await openAt(changed).catch((error: { code: string; message: string }) => error);
        if ("replayed" in opened) {
          if (opened.notices.length === 0) expect(opened.replayed).toEqual(envelopes);
          else expect(opened.replayed).toEqual(envelopes.slice(0, -1));
          await opened.close();
        } else {
          refused += 1;
          expect(opened.code).toBe("session_damaged");
          expect(opened.message).toContain(`${changed}:`);
        }
      }
    }
    expect(refused).toBeGreaterThan(tried * 0.6);
  });

  it("keeps a last record that only lacks its newline", async () => {
    const { path, envelopes } = await sampleLog();
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    const log = await openAt(path);
    expect(log.replayed).toEqual(envelopes);
    await log.record(note("on"));
    await log.close();
    expect((await openAt(path)).replayed).toHaveLength(9);
  });

  it("skips a repeated event, and refuses a gap, an invalid number or another agent's event", async () => {
    const { path, envelopes } = await sampleLog();
    const last = envelopes.at(-1) as StoredEnvelope;
    const original = readFileSync(path, "utf8");
    appendFileSync(path, lineOf(last));
    const log = await openAt(path);
    expect(log.replayed).toEqual(envelopes);
    expect(log.notices).toEqual([expect.stringContaining("1 repeated event")]);
    const bad = { gap: { seq: 10 }, again: { seq: 8 }, back: { seq: 3 }, agent: { seq: 9, agent: createId("agt") } };
    for (const fields of Object.values(bad)) {
      writeFileSync(path, original + lineOf({ ...last, id: createId("evt"), ...fields }));
      await expect(openAt(path)).rejects.toMatchObject({ code: "session_damaged" });
    }
    writeFileSync(path, original);
    const other = newSessionId();
    await expect(openEventLog({ ...storeOptions, path, session: other, agent })).rejects.toThrow(`not of ${other}`);
  });

  it("refuses a newer version's log with a clear error", async () => {
    const { path, envelopes } = await sampleLog();
    const original = readFileSync(path, "utf8");
    const next = { ...(envelopes.at(-1) as StoredEnvelope), id: createId("evt"), seq: 9 };
    writeFileSync(path, original + lineOf({ ...next, v: 2, event: { kind: "new" } }));
    await expect(openAt(path)).rejects.toMatchObject({ code: "session_newer" });
    await expect(openAt(path)).rejects.toThrow(/log\.jsonl:\d+ .*version 2/);
    writeFileSync(path, original + lineOf({ ...next, event: { type: "weather.changed" } }));
    await expect(openAt(path)).rejects.toThrow("weather.changed");
    await expect(repairLog(path, storeOptions)).rejects.toMatchObject({ code: "session_newer" });
  });

  it.each([
    ["an array", "[]\n"],
    ["a number", "5\n"],
    ["null", "null\n"],
    ["NULs", "\0\0\0\0\n"],
    ["a deep nest", `${"[".repeat(10_000)}${"]".repeat(10_000)}\n`],
    ["another's file", '{"role":"user","content":"hi"}\n'],
    ["__proto__", '{"__proto__":{"v":1}}\n'],
  ])("reports %s as damage, never as an empty log", async (_, content) => {
    const path = join(temporaryFolder(), "log.jsonl");
    writeFileSync(path, content);
    await expect(openAt(path)).rejects.toMatchObject({ code: "session_damaged" });
    await expect(openAt(path)).rejects.toThrow(`troupe sessions repair ${session}`);
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  it("opens 20,000 events", async () => {
    const path = join(temporaryFolder(), "log.jsonl");
    const { envelopes } = await sampleLog();
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      lineOf({ ...envelopes[i % 8], id: `evt_${String(i).padStart(10, "0")}`, seq: i + 1 }),
    );
    writeFileSync(path, lines.join(""));
    expect((await openAt(path)).replayed).toHaveLength(20_000);
  });
});

describe("repairLog", () => {
  it("keeps readable events, reports missing ones, and keeps the original", async () => {
    const { path, envelopes } = await sampleLog();
    const damaged = readFileSync(path, "utf8").replace("hällo", "hallo");
    writeFileSync(path, damaged);
    await expect(openAt(path)).rejects.toThrow(`${path}:12: its checksum does not match`);
    const report = await repairLog(path, storeOptions);
    expect(report.problems[0]).toEqual({ line: 12, reason: "its checksum does not match" });
    expect(readFileSync(report.original ?? "", "utf8")).toBe(damaged);
    expect(statSync(report.original ?? "").mode & 0o777).toBe(0o600);
    const { replayed, notices } = await openAt(path);
    expect(notices).toEqual([]);
    const events = envelopes.map(({ event }) => event).filter(({ type }) => type !== "turn.ended");
    expect(replayed.slice(0, -1).map(({ event }) => event)).toEqual(events);
    expect(replayed.at(-1)?.event).toMatchObject({ type: "notice.raised", code: "log_repaired" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("does not touch a valid log", async () => {
    const { path } = await sampleLog();
    const before = readFileSync(path);
    expect(await repairLog(path, storeOptions)).toEqual({ path, kept: 8, problems: [] });
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(join(path, ".."))).toEqual(["log.jsonl"]);
  });
});

function lineEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let i = 1; i < bytes.length; i++) if (bytes[i] === 0x0a && bytes[i - 1] === 0x7d) ends.push(i);
  return ends;
}
