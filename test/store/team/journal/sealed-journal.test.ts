import { appendFileSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { claim, currentProcess, encodeLine, createIdFactory, systemClock } from "../../../../src/platform/index.ts";
import type { TaskChange } from "../../../../src/store/index.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { openList } from "../../../support/store/open-task-list.ts";

const lead = { name: "team-lead" };
const task = (subject: string) => ({ subject, description: "x".repeat(200) });

function open(path: string, limitBytes = 1_000_000) {
  const list = openList(path, { limitBytes, durability: "process" });
  onTestFinished(() => list.close());
  return list;
}

const newPath = () => join(temporaryFolder(), "tasks.jsonl");
const filesBeside = (path: string) => readdirSync(dirname(path)).sort();

async function fill(path: string, count: number): Promise<void> {
  const list = openList(path, { durability: "process" });
  for (let n = 0; n < count; n++) await list.create(task(`t${n}`), lead);
  await list.close();
}

describe("journal with many writers", () => {
  it("creates nothing before the first write, and is private to its owner", async () => {
    const path = newPath();
    const list = open(path);
    expect(await list.list()).toEqual([]);
    expect(filesBeside(path)).toEqual([]);
    await list.create(task("a"), lead);
    expect(filesBeside(path)).toEqual(["tasks.jsonl"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("stays small however long it is written to, and loses nothing", async () => {
    const path = newPath();
    const writers = Array.from({ length: 6 }, () => open(path, 3_000));
    const [first] = writers;
    for (let n = 0; n < 3; n++) await first?.create(task(`t${n}`), lead);
    const answers = await Promise.all(
      writers.flatMap((writer, w) =>
        Array.from({ length: 60 }, (_, n) => writer.update(1 + (n % 3), { metadata: { [`w${w}n${n}`]: n } }, lead)),
      ),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
    const items = (await open(path).list()).map(({ metadata }) => Object.keys(metadata).length);
    expect(items.reduce((sum, count) => sum + count, 0)).toBe(360);
    for (const writer of writers) expect(await writer.list()).toEqual(await open(path).list());
    expect(statSync(path).size).toBeLessThan(60_000);
    expect(filesBeside(path)).toEqual(["tasks.jsonl"]);
    expect(writers.flatMap((writer) => writer.problems())).toEqual([]);
  });

  it("records behind a seal are void, and their writers write them again", async () => {
    const path = newPath();
    const writer = open(path);
    await writer.create(task("a"), lead);
    appendFileSync(path, encodeLine({ sealed: "rec_1" }));
    appendFileSync(path, encodeLine({ id: "rec_2", entry: { do: "claim", by: "late", at: "", id: 1 } }));
    expect(await open(path).get(1)).toMatchObject({ status: "pending" });
    expect(await writer.claim(1, { name: "w" })).toMatchObject({ ok: true, item: { owner: "w" } });
    expect(readFileSync(path, "utf8")).not.toContain("late");
    expect(await open(path).get(1)).toMatchObject({ owner: "w" });
  });

  it("a compaction that was killed is finished by the next writer", async () => {
    const path = newPath();
    await fill(path, 3);
    appendFileSync(path, encodeLine({ sealed: "rec_1" }));
    writeFileSync(`${path}.next`, "half a li");
    const dead = { ...currentProcess(), startedAt: "1" };
    await claim(`${path}.compacting-1`, {
      what: "it",
      createId: createIdFactory(systemClock),
      clock: systemClock,
      owner: dead,
    });
    expect(await open(path).list()).toHaveLength(3);
    expect(await open(path).claim(2, { name: "w" })).toMatchObject({ ok: true });
    expect(await open(path).list()).toHaveLength(3);
    expect(filesBeside(path)).toEqual(["tasks.jsonl"]);
  });

  it("a follower gets all changes in order across compactions", async () => {
    const path = newPath();
    const writer = open(path, 2_000);
    const reader = open(path);
    await writer.create(task("a"), lead);
    const stop = new AbortController();
    const seen: TaskChange[] = [];
    const following = (async () => {
      for await (const change of reader.follow(stop.signal)) {
        seen.push(change);
        if (seen.length === 50) break;
      }
    })();
    for (let n = 0; n < 50; n++) await writer.update(1, { subject: `s${n}` }, lead);
    await following;
    stop.abort();
    expect(seen.map(({ item }) => item.subject)).toEqual(Array.from({ length: 50 }, (_, n) => `s${n}`));
  });

  it("a follower that missed several files gets the current state", async () => {
    const path = newPath();
    const writer = open(path, 1);
    const reader = open(path);
    await writer.create(task("a"), lead);
    await writer.create(task("b"), lead);
    expect(await reader.list()).toHaveLength(2);
    const changes = reader.follow(new AbortController().signal)[Symbol.asyncIterator]();
    // Nothing here yields to the reader: it runs only after all of them.
    const busy = [writer.delete(2, lead)];
    for (let n = 0; n < 40; n++) busy.push(writer.update(1, { subject: `s${n}` }, lead));
    await Promise.all(busy);
    const seen: TaskChange[] = [];
    while (seen.at(-1)?.item.subject !== "s39" || !seen.some(({ what }) => what === "deleted")) {
      seen.push((await changes.next()).value as TaskChange);
    }
    expect(await reader.list()).toMatchObject([{ id: 1, subject: "s39" }]);
    await changes.return?.();
  });

  it("an invalid line is skipped, reported, and kept next to the file on compaction", async () => {
    const path = newPath();
    await fill(path, 2);
    appendFileSync(path, '\n{"id":"rec_1","entry":{"do":"cl');
    appendFileSync(path, '\n{"id":"rec_2","entry":{"do":"dance"}}\n');
    const list = open(path, 1);
    expect(await list.create(task("c"), lead)).toMatchObject({ ok: true, item: { id: 3 } });
    expect(list.problems()).toHaveLength(2);
    for (let n = 0; n < 40; n++) await list.update(1, { metadata: { n } }, lead);
    expect(await open(path).list()).toHaveLength(3);
    const [bad = ""] = filesBeside(path).filter((name) => name.includes(".bad-"));
    expect(readFileSync(join(dirname(path), bad), "utf8")).toContain("dance");
  });
});

describe("damaged journal (C1, C5)", () => {
  it.each<[string, (text: string) => string | Buffer]>([
    ["empty", () => ""],
    ["cut in its first line", (text) => text.slice(0, 40)],
    ["zeroes", (text) => Buffer.alloc(text.length)],
    ["not JSON", () => "tasks:\n- a\n"],
    ["of another kind", () => '{"version":1,"journal":"j","epoch":0,"snapshot":{"team":{}}}\n'],
    ["a list", () => "[]\n"],
    ["with keys that are none", () => '{"__proto__":{"version":1}}\n'],
    ["deep", () => `${"[".repeat(10_000)}${"]".repeat(10_000)}\n`],
    ["of the wrong types", (text) => text.replace('"epoch":0', '"epoch":"0"')],
  ])("%s: an error with its path, never an empty list", async (_, damage) => {
    const path = newPath();
    await fill(path, 2);
    writeFileSync(path, damage(readFileSync(path, "utf8")));
    const before = readFileSync(path);
    await expect(open(path).list()).rejects.toMatchObject({ code: "storage", message: expect.stringContaining(path) });
    await expect(open(path).create(task("c"), lead)).rejects.toMatchObject({ code: "storage" });
    expect(readFileSync(path)).toEqual(before);
  });

  it("of a newer Troupe: is refused and left unchanged", async () => {
    const path = newPath();
    writeFileSync(path, encodeLine({ version: 2, journal: "j", epoch: 0, snapshot: {} }));
    await expect(open(path).list()).rejects.toThrow(/format 2 of a newer Troupe; update this one/);
    await expect(open(path).create(task("a"), lead)).rejects.toThrow(/newer/);
  });

  it("a byte order mark, blank lines and a missing last newline change nothing", async () => {
    const path = newPath();
    await fill(path, 2);
    writeFileSync(path, `\uFEFF\n${readFileSync(path, "utf8").trimEnd().replaceAll("\n", "\r\n")}`);
    const list = open(path);
    expect(await list.create(task("c"), lead)).toMatchObject({ item: { id: 3 } });
    expect(list.problems()).toEqual([]);
  });

  it("any one bit flipped: same content, reported, or refused", async () => {
    const path = newPath();
    await fill(path, 3);
    const whole = readFileSync(path);
    const expected = JSON.stringify(await open(path).list());
    for (let at = 0; at < whole.length; at += 3) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      const copy = join(dirname(path), "copy.jsonl");
      writeFileSync(copy, flipped);
      const list = openList(copy);
      const read = await list.list().then(JSON.stringify, (error: { code: string }) => error.code);
      if (read !== "storage" && list.problems().length === 0) expect([at, read]).toEqual([at, expected]);
      await list.close();
    }
  });

  it("cut while in use: an error, not fewer tasks", async () => {
    const path = newPath();
    await fill(path, 3);
    const list = open(path);
    expect(await list.list()).toHaveLength(3);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length - 100));
    await expect(list.list()).rejects.toThrow(/it was truncated/);
  });

  it("replaced while in use: an error, not another list", async () => {
    const path = newPath();
    const other = newPath();
    await fill(path, 3);
    await fill(other, 1);
    const list = open(path);
    expect(await list.list()).toHaveLength(3);
    writeFileSync(`${path}.tmp`, "");
    copyFileSync(other, `${path}.tmp`);
    const { renameSync } = await import("node:fs");
    renameSync(`${path}.tmp`, path);
    await expect(list.list()).rejects.toThrow(/it no longer exists, or another file is in its place/);
    await expect(list.create(task("a"), lead)).rejects.toMatchObject({ code: "storage" });
  });
});
