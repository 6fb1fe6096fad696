import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { openLockedArray } from "./locked-array.mjs";
import { openMail } from "./mail-team.mjs";
import { atLeast, atMost, interleave, median, quantile, round, row, sum } from "./measure.mjs";

const text = "a line of what one agent tells another ".repeat(5);
const reference = "JSON array under a lock";

/** Sending, reading and marking, against the reference design and a bare write of the same bytes. */
export async function run(bench) {
  return [
    ...(await sending(bench)),
    ...(await manyProcesses(bench)),
    ...(await afterAKill(bench)),
    ...(await durable(bench)),
    ...(await noticing(bench)),
    ...(await reading(bench)),
  ];
}

async function sending(bench) {
  const empty = await inboxOf(bench, 0);
  const full = await inboxOf(bench, 10_000);
  const lockedEmpty = await lockedOf(bench, 0);
  const lockedFull = await lockedOf(bench, 10_000);
  const fd = openSync(join(bench.emptyFolder(), "raw"), "a");
  const line = `\n${JSON.stringify({ mail: { id: "x".repeat(31), text, more: "y".repeat(180) } })}\n`;
  const sendTo = ({ mailbox }) => each(200, () => mailbox.send({ from: "sender", to: "receiver", text }));
  const seen = await interleave(
    {
      write: () => each(200, () => writeSync(fd, line)),
      empty: () => sendTo(empty),
      full: () => sendTo(full),
      lockedEmpty: () => each(1, () => lockedEmpty.send({ from: "sender", text })),
      lockedFull: () => each(1, () => lockedFull.send({ from: "sender", text })),
    },
    { rounds: 40, seconds: 20, warmUp: 5 },
  );
  closeSync(fd);
  await empty.close();
  await full.close();
  const ours = row({
    what: "send, empty inbox",
    unit: "µs",
    values: seen.empty,
    bare: seen.write,
    against: "writeSync",
    goal: atMost(25, "µs"),
  });
  const growth = median(seen.full) / median(seen.empty);
  return [
    ours,
    times("the same, times as fast as", seen.lockedEmpty, seen.empty, 80),
    row({
      what: "send, 10,000 stored",
      unit: "µs",
      values: seen.full,
      bare: seen.empty,
      against: "an empty one",
      goal: ratioAtMost(1.2, growth),
    }),
    times("the same, times as fast as", seen.lockedFull, seen.full, 2000),
  ];
}

async function manyProcesses(bench) {
  const bare = await together(bench, { which: "bare", processes: 16, count: 5000 });
  const few = await together(bench, { which: "ours", processes: 16, count: 5000 });
  const many = await together(bench, { which: "ours", processes: 64, count: 500 });
  const locked = await together(bench, { which: "reference", processes: 64, count: 10 });
  const lost = (result) => `${result.failed} failed, ${result.asked - result.failed - result.stored} lost`;
  return [
    {
      ...row({
        what: `16 processes × 5,000 (${lost(few)})`,
        unit: "/s",
        values: [few.perSecond],
        bare: [bare.perSecond],
        against: "bare writes",
      }),
      goal: "≥ 60000 /s, 0 lost",
      reached: few.perSecond >= 60_000 && few.failed === 0 && few.stored === few.asked,
    },
    row({
      what: "the same, CPU time of a send",
      unit: "µs",
      values: [few.cpuOfOne],
      bare: [bare.cpuOfOne],
      against: "bare writes",
    }),
    {
      ...row({ what: `64 processes × 500 (${lost(many)})`, unit: "/s", values: [many.perSecond] }),
      goal: "0 failed, 0 lost",
      reached: many.failed === 0 && many.stored === many.asked,
    },
    row({ what: "the same, p99 of a send", values: [many.p99], goal: atMost(100, "ms") }),
    times(`the same, times as fast as (64 × 10: ${lost(locked)})`, [1 / locked.perSecond], [1 / many.perSecond], 100),
    row({ what: "the same, CPU time of a send", unit: "µs", values: [many.cpuOfOne] }),
  ];
}

/**
 * All processes begin at the same time and stay until the last is done, so that neither start nor exit is counted.
 * Measures from the first send to the end of the last. Percentiles are over all sends.
 */
async function together(bench, { which, processes, count }) {
  const home = bench.emptyFolder();
  const locked = openLockedArray(join(home, "receiver.json"));
  if (which === "reference") await locked.make();
  const children = Array.from({ length: processes }, (_, n) =>
    startSender(bench, { which, home, name: `sender-${n}`, count }),
  );
  await Promise.all(children.map(({ said }) => said()));
  const moment = Number(process.hrtime.bigint()) / 1e6 + 300;
  for (const { child } of children) child.stdin.write(String(moment));
  const results = await Promise.all(children.map(async ({ said }) => JSON.parse(await said())));
  const exits = children.map(({ child }) => once(child, "exit"));
  for (const { child } of children) child.stdin.end();
  await Promise.all(exits);
  const started = Math.min(...results.map((result) => result.started));
  const ended = Math.max(...results.map((result) => result.ended));
  const sent = sum(results.map((result) => result.sent));
  const asked = processes * count;
  const stored = {
    ours: () => countOurs(bench, home),
    reference: async () => (await locked.read()).length,
    bare: () => asked,
  };
  return {
    asked,
    failed: sum(results.map((result) => result.failed)),
    stored: await stored[which](),
    perSecond: (sent * 1000) / (ended - started),
    cpuOfOne: sum(results.map((result) => result.cpu)) / asked,
    p99: quantile(
      results.flatMap((result) => result.times),
      0.99,
    ),
  };
}

async function countOurs(bench, home) {
  const { mailbox, close } = await openMail({ ...bench, home, names: ["receiver"] });
  const held = await mailbox.readAll("receiver");
  await close();
  return new Set(held.map(({ id }) => id)).size;
}

async function afterAKill(bench) {
  const ours = [];
  for (let i = 0; i < 7; i++) {
    const home = bench.emptyFolder();
    await killed(bench, { which: "ours", home });
    const { mailbox, close } = await openMail({ ...bench, home, names: ["sender", "receiver"] });
    ours.push(await timed(() => mailbox.send({ from: "sender", to: "receiver", text })));
    await close();
  }
  const home = bench.emptyFolder();
  const locked = openLockedArray(join(home, "receiver.json"));
  await locked.make();
  await killed(bench, { which: "reference", home });
  const untilSent = async () => {
    for (;;) {
      try {
        return await locked.send({ from: "sender", text });
      } catch (error) {
        if (error.code !== "ELOCKED") throw error;
      }
    }
  };
  const theirs = [await timed(untilSent)];
  return [
    row({
      what: "next send after a sender was killed",
      values: ours,
      bare: theirs,
      against: reference,
      goal: atMost(50, "ms"),
    }),
  ];
}

async function killed(bench, { which, home }) {
  const { child, said } = startSender(bench, { which, home, name: "sender", count: 0 });
  await said();
  child.stdin.write("0");
  if (which === "ours") await said();
  else await sleep(300);
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function durable(bench) {
  const { mailbox, close } = await openMail({ ...bench, home: bench.emptyFolder(), names: ["sender", "team-lead"] });
  const body = { kind: "idle_notification", idleReason: "available", result: text };
  const inFlight = async () => {
    let left = 4000;
    const sendOn = async () => {
      while (left-- > 0) await mailbox.send({ from: "sender", to: "team-lead", body });
    };
    const ms = await timed(() => Promise.all(Array.from({ length: 64 }, sendOn)));
    return (4000 * 1000) / ms;
  };
  const fd = openSync(join(bench.emptyFolder(), "raw"), "a");
  const sync = () => {
    writeSync(fd, text);
    fdatasyncSync(fd);
  };
  const seen = await interleave(
    {
      inFlight,
      lone: () => timed(() => mailbox.send({ from: "sender", to: "team-lead", body })),
      sync: () => timed(sync),
    },
    { rounds: 15, seconds: 20 },
  );
  closeSync(fd);
  await close();
  return [
    row({ what: "durable send, 64 in flight", unit: "/s", values: seen.inFlight, goal: atLeast(25_000, "/s") }),
    row({ what: "durable send, alone", values: seen.lone, bare: seen.sync, against: "write and fdatasync" }),
  ];
}

async function noticing(bench) {
  const home = bench.emptyFolder();
  const { mailbox, close } = await openMail({ ...bench, home, names: ["sender", "receiver"] });
  const count = 400;
  const child = spawn(process.execPath, [bench.child("mail-receiver"), bench.insides, home, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = linesOf(child);
  await said();
  for (let n = 0; n < count; n++) {
    await mailbox.send({ from: "sender", to: "receiver", text: String(Number(process.hrtime.bigint()) / 1e6) });
    await sleep(4);
  }
  const heard = JSON.parse(await said()).slice(20);
  await close();
  return [
    row({ what: "received in another process", values: heard, goal: atMost(1, "ms") }),
    row({ what: "the same, p99", values: [quantile(heard, 0.99)], goal: atMost(5, "ms") }),
  ];
}

async function reading(bench) {
  const names = ["sender", "receiver"];
  const home = bench.emptyFolder();
  const held = await openMail({ ...bench, home, names, rotateBytes: Infinity });
  await fill(held, 10_000);
  const all = await held.mailbox.readUnread("receiver");
  await held.mailbox.markRead(
    "receiver",
    all.map(({ id }) => id),
  );
  const locked = await lockedOf(bench, 10_000);
  /** The median of twenty: the other design, which runs in between, leaves cold caches. */
  const readOne = async () => {
    const values = [];
    for (let n = 0; n < 20; n++) {
      await held.mailbox.send({ from: "sender", to: "receiver", text });
      const read = async () => {
        const [mail, ...others] = await held.mailbox.readUnread("receiver");
        if (others.length > 0) throw new Error("a mail was not marked");
        await held.mailbox.markRead("receiver", [mail.id]);
      };
      values.push((await timed(read)) * 1000);
    }
    return median(values);
  };
  const lockedOne = async () => {
    await locked.send({ from: "sender", text });
    return (
      (await timed(async () => {
        await locked.read();
        await locked.markRead(1);
      })) * 1000
    );
  };
  const seen = await interleave({ readOne, lockedOne }, { rounds: 60, seconds: 15, warmUp: 10 });
  await held.close();
  const marks = [];
  const lockedMarks = [];
  for (let i = 0; i < 9; i++) {
    const one = await inboxOf(bench, 10_000);
    const ids = (await one.mailbox.readUnread("receiver")).map(({ id }) => id);
    await one.mailbox.markRead("receiver", []);
    const ms = await timed(() => one.mailbox.markRead("receiver", ids));
    await one.close();
    if (i >= 2) marks.push(ms);
    if (i >= 6) lockedMarks.push(await timed(() => locked.markRead(10_000)));
  }
  return [
    row({
      what: "read one and mark it, 10,000 stored",
      unit: "µs",
      values: seen.readOne,
      bare: seen.lockedOne,
      against: reference,
      goal: atMost(200, "µs"),
    }),
    row({ what: "mark 10,000", values: marks, bare: lockedMarks, against: reference, goal: atMost(5, "ms") }),
  ];
}

async function inboxOf(bench, count) {
  const opened = await openMail({ ...bench, home: bench.emptyFolder(), names: ["sender", "receiver"] });
  await fill(opened, count);
  return opened;
}

async function fill({ mailbox }, count) {
  for (let n = 0; n < count; n++) await mailbox.send({ from: "sender", to: "receiver", text });
}

async function lockedOf(bench, count) {
  const inbox = openLockedArray(join(bench.emptyFolder(), "receiver.json"));
  const mail = { from: "sender", text, timestamp: new Date().toISOString(), read: false };
  await inbox.make(Array.from({ length: count }, () => mail));
  return inbox;
}

function startSender(bench, { which, home, name, count }) {
  const args = [bench.child("mail-sender"), which, bench.insides, home, name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  return { child, said: linesOf(child) };
}

/** Returns the child's next line. */
function linesOf(child) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => (await lines.next()).value;
}

/** Median microseconds for one. */
async function each(count, work) {
  const values = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work();
    values.push(performance.now() - started);
  }
  return median(values) * 1000;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The speed relative to the reference design. */
function times(what, theirs, ours, least) {
  const factor = median(theirs) / median(ours);
  return {
    ...row({ what: `${what} a ${reference}`, unit: "×", values: [factor] }),
    goal: `≥ ${least}×`,
    reached: factor >= least,
  };
}

const ratioAtMost = (limit, ratio) => ({ text: `≤ ${limit}× (${round(ratio)})`, reached: () => ratio <= limit });
