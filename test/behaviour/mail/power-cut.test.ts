import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLines } from "../../../src/platform/files/read-lines.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needStrace } from "../../support/processes/required-tools.ts";
import { type Disk, diskAfter, keyOf, type Luck, putDown } from "../../support/disk/power-cut.ts";
import { type RecordedCall, readCalls, straceArguments } from "../../support/disk/recorded-system-calls.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { openMail } from "../../support/mail/open-mail.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  needStrace();
  program = await buildProgram("power-cut-steps.ts");
});
afterAll(() => program.remove());

/** How unsynced writes may survive: completely, not at all, in parts, or out of order. */
const lucks: Readonly<Record<string, Luck>> = {
  "all of it": { name: () => true, bytes: (_, length) => length },
  "nothing of it": { name: () => false, bytes: () => 0 },
  "names without bytes": { name: () => true, bytes: () => 0 },
  "bytes without names": { name: () => false, bytes: (_, length) => length },
  "sizes without bytes": { name: () => true, bytes: () => 0, size: () => true },
  "half of each write": { name: () => true, bytes: (_, length) => Math.floor(length / 2) },
  "all but the last byte": { name: () => true, bytes: (_, length) => length - 1 },
  "every other write": { name: () => true, bytes: (call, length) => (call % 2 === 0 ? length : 0) },
  "every other write, and the size": {
    name: () => true,
    bytes: (call, length) => (call % 2 === 0 ? length : 0),
    size: () => true,
  },
  "the other ones, and half the names": {
    name: (call) => call % 2 === 0,
    bytes: (call, length) => (call % 2 === 1 ? length : 0),
  },
  "some, by chance": { name: (call) => dice(call) < 0.7, bytes: (call, length) => Math.floor(length * dice(call * 7)) },
};

describe("power cut after any system call", () => {
  it("keeps all stored mail, never shows a partial record, and reports the damage", async ({ onTestFinished }) => {
    const home = temporaryFolder(onTestFinished);
    // The process that creates a team has synced its folder.
    mkdirSync(join(home, "teams", "t"), { recursive: true });
    const trace = join(temporaryFolder(onTestFinished), "trace");
    execFileSync("strace", [...straceArguments(trace), process.execPath, program.path, home]);
    const calls = readCalls(trace, home);
    expect(calls.filter(({ type }) => type === "renamed").length).toBeGreaterThan(1);
    expect(calls.filter(({ type }) => type === "removed").length).toBeGreaterThan(0);

    const seen = new Set<string>();
    const states: { readonly disk: Disk; readonly promised: Promised }[] = [];
    for (let count = 0; count <= calls.length; count++) {
      const promised = promisedBy(calls.slice(0, count));
      for (const luck of Object.values(lucks)) {
        const disk = diskAfter(calls, count, luck);
        const key = `${keyOf(disk)} ${JSON.stringify(promised)}`;
        if (!seen.has(key)) states.push({ disk, promised });
        seen.add(key);
      }
    }
    let damaged = 0;
    const checkOnAndOn = async () => {
      for (let state = states.pop(); state !== undefined; state = states.pop()) {
        damaged += await expectWhole(state, { from: home, to: temporaryFolder(onTestFinished) });
      }
    };
    await Promise.all(Array.from({ length: 8 }, checkOnAndOn));
    expect(seen.size).toBeGreaterThan(calls.length);
    expect(damaged).toBeGreaterThan(0);
  });
});

interface Promised {
  /** Mail and its number that was acknowledged as stored and that no process had begun to mark. */
  readonly stored: readonly (readonly [id: string, number: string])[];
  readonly appended: readonly number[];
}

function promisedBy(done: readonly RecordedCall[]): Promised {
  const said = done.flatMap((call) => (call.type === "said" ? [call.line.split(" ")] : []));
  const marked = new Set(said.flatMap(([what, id]) => (what === "marking" ? [id] : [])));
  return {
    stored: said.flatMap(([what, id = "", number = ""]) =>
      what === "stored" && !marked.has(id) ? [[id, number] as const] : [],
    ),
    appended: said.flatMap(([what, number]) => (what === "appended" ? [Number(number)] : [])),
  };
}

/** Returns the number of damaged places that were reported. */
async function expectWhole(
  { disk, promised }: { readonly disk: Disk; readonly promised: Promised },
  { from, to }: { readonly from: string; readonly to: string },
): Promise<number> {
  mkdirSync(join(to, "teams", "t"), { recursive: true });
  putDown(disk, { from, to });

  const log = readLines(join(to, "log.jsonl"));
  const records = log.records.map(({ value }) => value as { number: number; text: string });
  for (const { number, text } of records) expect(text).toBe(`${number} `.repeat(40));
  expect(records.map(({ number }) => number)).toEqual(expect.arrayContaining([...promised.appended]));

  const { mailbox, close } = openMail(to, { names: ["anna", "bert", "team-lead"] });
  const inboxes = join(to, "teams", "t", "inboxes");
  const isTorn = hasDamage(inboxes);
  // Opening the reader repairs the files.
  await mailbox.markRead("bert", []);
  const mails = await mailbox.readUnread("bert");
  for (const { sender, body } of mails) {
    const text = body.kind === "text" ? body.text : body.kind === "idle_notification" ? body.result : undefined;
    expect({ sender, text }).toEqual({ sender: "verified", text: `${text?.split(" ")[0]} `.repeat(30) });
  }
  const ids = mails.map(({ id }) => id as string);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [id] of promised.stored) expect(ids).toContain(id);
  const notices = mailbox.takeNotices("bert");
  if (isTorn) {
    expect(notices.join()).toMatch(/cannot read (a line|\d+ lines)/);
    expect(readdirSync(inboxes).filter((name) => name.includes(".bad-"))).not.toEqual([]);
  } else expect(notices).toEqual([]);
  const { id } = await mailbox.send({ from: "anna", to: "bert", text: "next" });
  expect((await mailbox.readUnread("bert")).at(-1)?.id).toBe(id);
  await close();
  return notices.length + log.damaged.length;
}

function hasDamage(inboxes: string): boolean {
  if (!existsSync(inboxes)) return false;
  const files = readdirSync(inboxes).filter((name) => /^bert\.jsonl(\.\d+)?$/.test(name));
  return files.some((name) => {
    const { damaged, tail } = readLines(join(inboxes, name));
    return damaged.length > 0 || (tail !== undefined && tail.value === undefined);
  });
}

/** The same result for the same call each time. */
function dice(seed: number): number {
  const turned = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0;
  return (Math.imul(turned ^ (turned >>> 13), 0xc2b2_ae35) >>> 0) / 2 ** 32;
}
