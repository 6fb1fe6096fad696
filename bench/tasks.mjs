import { fork } from "node:child_process";
import { once } from "node:events";
import { atMost, atMostMore, interleave, row } from "./measure.mjs";

const tasks = 400;
const claimers = 16;
const contested = 500;

/**
 * Claiming a task against sending a mail, both without and with the sync that a claim waits for. Also with 1,000 other
 * tasks in the list. Also counts how often two of many processes get the same task.
 */
export async function run(bench) {
  const { createFileTeamStore } = await bench.inside("store");
  const { createIdFactory, systemClock } = await bench.inside("platform");
  const createId = createIdFactory(systemClock);
  const open = (durability, home = bench.emptyFolder()) =>
    createFileTeamStore({ home, clock: systemClock, createId, durability }).create({ name: "bench", cwd: home });
  const mail = (n) => ({
    id: createId("mail"),
    from: "a",
    to: "b",
    timestamp: new Date().toISOString(),
    wakes: true,
    body: { kind: "text", text: `message ${n} ${"x".repeat(200)}` },
  });

  const claims = (durability, others) => async () => {
    const team = await open(durability);
    const create = (n) =>
      team.tasks.create({ subject: `task ${n}`, description: "x".repeat(200) }, { name: "team-lead" });
    for (let n = 0; n < others + tasks; n++) await create(n);
    const times = [];
    for (let n = 1; n <= tasks; n++) {
      const name = `w${n}`;
      times.push(await timed(() => team.tasks.claim(others + n, { name })));
    }
    await team.close();
    return middle(times);
  };
  const sends = (durability) => async () => {
    const team = await open(durability);
    const inbox = team.inbox("b");
    const kind = durability === "disk" ? { kind: "shutdown_request", requestId: createId("ask") } : undefined;
    const times = [];
    for (let n = 0; n < tasks; n++) {
      const one = mail(n);
      times.push(await timed(() => inbox.send(kind === undefined ? one : { ...one, body: kind })));
    }
    await team.close();
    return middle(times);
  };

  const seen = await interleave(
    {
      send: sends("process"),
      claim: claims("process", 0),
      among: claims("process", 1_000),
      sendSynced: sends("disk"),
      claimSynced: claims("disk", 0),
    },
    { rounds: 7, seconds: 30, warmUp: 1 },
  );
  const goal = atMostMore(100, "µs");
  return [
    row({
      what: "claim, without its sync",
      unit: "µs",
      values: seen.claim,
      bare: seen.send,
      against: "send of a text",
      goal,
    }),
    row({
      what: "the same among 1,000 others",
      unit: "µs",
      values: seen.among,
      bare: seen.send,
      against: "send of a text",
      goal,
    }),
    row({
      what: "claim, with its sync",
      unit: "µs",
      values: seen.claimSynced,
      bare: seen.sendSynced,
      against: "send of a control message",
    }),
    ...(await contest(bench, open)),
  ];
}

async function contest(bench, open) {
  const home = bench.emptyFolder();
  const team = await open("process", home);
  const lead = { name: "team-lead" };
  for (let n = 0; n < contested; n++) await team.tasks.create({ subject: `t${n}`, description: "" }, lead);
  const started = performance.now();
  const children = Array.from({ length: claimers }, async (_, n) => {
    const child = fork(bench.child("claim-tasks"), [bench.insides, home, `w${n}`, String(contested)]);
    const [won] = await once(child, "message");
    return won;
  });
  const won = (await Promise.all(children)).flat();
  const seconds = (performance.now() - started) / 1000;
  const left = (await team.tasks.list()).filter(({ status }) => status !== "completed").length;
  await team.close();
  const what = `${claimers} processes claim ${contested} tasks`;
  const none = atMost(0, "tasks");
  const doubled = won.length - new Set(won).size;
  return [
    row({ what: `${what}: with two owners`, unit: "tasks", values: [doubled], goal: none }),
    row({ what: "the same: with none", unit: "tasks", values: [left], goal: none }),
    row({ what: "the same: claimed and completed", unit: "a second", values: [contested / seconds] }),
  ];
}

async function timed(action) {
  const start = performance.now();
  await action();
  return (performance.now() - start) * 1000;
}

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
