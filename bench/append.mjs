import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { interleave, row } from "./measure.mjs";

const records = 500;
const published = 5_000;
const subscribers = 10;

/** Measures storing an event, and publishing it to ten readers. Microseconds for one event. */
export async function run(bench) {
  return [...(await appends(bench)), ...(await publishing(bench))];
}

async function appends(bench) {
  const { openEventLog, createMemoryLog } = await bench.inside("store");
  const { encodeLine, createIdFactory, systemClock } = await bench.inside("platform");
  const createId = createIdFactory(systemClock);
  const folder = bench.emptyFolder();
  const event = settled(createId("call"));
  const ids = { session: createId("ses"), agent: createId("agt") };
  const line = encodeLine({ v: 1, id: createId("evt"), ...ids, seq: 1, at: new Date().toISOString(), event });
  let count = 0;

  const log = (durability) => async () => {
    const path = join(folder, `log-${++count}.jsonl`);
    const opened = await openEventLog({ path, ...ids, clock: systemClock, createId, durability });
    const time = await timed(async () => {
      for (let i = 0; i < records; i++) await opened.record(event);
    });
    await opened.close();
    return time;
  };
  const memory = async () => {
    const opened = createMemoryLog({ ...ids, clock: systemClock, createId });
    return timed(async () => {
      for (let i = 0; i < records; i++) await opened.record(event);
    });
  };
  const appendFile = () => {
    const path = join(folder, `raw-${++count}.jsonl`);
    return timed(() => {
      for (let i = 0; i < records; i++) appendFileSync(path, line);
    });
  };
  const write = async () => {
    const fd = openSync(join(folder, `raw-${++count}.jsonl`), "a");
    const time = await timed(() => {
      for (let i = 0; i < records; i++) writeSync(fd, line);
    });
    closeSync(fd);
    return time;
  };

  const tasks = { appendFile, write, log: log("soon"), memory };
  const seen = await interleave(tasks, { rounds: 25, seconds: 10, warmUp: 2 });
  const each = (times) => times.map((ms) => (ms * 1000) / records);
  const bare = each(seen.appendFile);
  return [
    row({ what: "record, on file", unit: "µs", values: each(seen.log), bare, against: "appendFileSync" }),
    row({
      what: "record, on file",
      unit: "µs",
      values: each(seen.log),
      bare: each(seen.write),
      against: "writeSync, open file",
    }),
    row({ what: "record, in memory", unit: "µs", values: each(seen.memory), bare, against: "appendFileSync" }),
  ];
}

async function publishing(bench) {
  const { createEventHub } = await bench.inside("hub");
  const { createIdFactory, systemClock } = await bench.inside("platform");
  const createId = createIdFactory(systemClock);
  const agent = createId("agt");
  const envelopes = Array.from({ length: published }, (_, index) => ({
    v: 1,
    id: createId("evt"),
    session: createId("ses"),
    agent,
    seq: index + 1,
    at: new Date().toISOString(),
    event: settled(`call_${index}`),
  }));

  const hub = () =>
    timed(async () => {
      const it = createEventHub(async () => []);
      const readers = Array.from({ length: subscribers }, () => readAll(it.subscribe()));
      for (const envelope of envelopes) it.publish(envelope);
      it.close();
      await Promise.all(readers);
    });
  /** The minimum for the same task: a list for each reader, read by `for await`. */
  const bare = () =>
    timed(async () => {
      const lists = Array.from({ length: subscribers }, () => []);
      for (const envelope of envelopes) for (const list of lists) list.push(envelope);
      await Promise.all(lists.map((list) => readAll(list)));
    });

  const seen = await interleave({ bare, hub }, { rounds: 25, seconds: 8, warmUp: 2 });
  const each = (times) => times.map((ms) => (ms * 1000) / published);
  return [
    row({
      what: `publish to ${subscribers} readers`,
      unit: "µs",
      values: each(seen.hub),
      bare: each(seen.bare),
      against: "ten lists, for await",
    }),
  ];
}

async function readAll(events) {
  let count = 0;
  for await (const _ of events) count += 1;
  if (count !== published) throw new Error(`${count} of ${published} events arrived`);
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const settled = (callId) => ({
  type: "tool.settled",
  callId,
  durationMs: 3,
  outcome: "ok",
  content: [{ type: "text", text: "a line of a file that a tool has read\n".repeat(12) }],
});
