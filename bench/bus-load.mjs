import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile, round, row, sum } from "./measure.mjs";
import { startServers } from "./nats-servers.mjs";

/** `BUS_LOAD=50x20x1`: number of processes, members in each, and servers. */
const [processes, membersEach, serverCount] = (process.env["BUS_LOAD"] ?? "10x20").split("x").map(Number);
/** A million mails a day. */
const million = 1_000_000 / 86_400;
const steps = [50, 100, 200, 400, 800, 1600, 3200];
const heldSeconds = 30;
/** If one mail in a hundred takes longer, the rate is not sustained. */
const mostMs = 500;

/**
 * Measures the rate that a bus on this machine sustains. By default 200 members in ten processes send mails; the
 * receiver in another process reads each one and marks it as read. The rate rises until mails are late; the last
 * sustained rate is then held for 30 seconds. Runs on one server, and on three servers with three replicas. Members and
 * servers share the cores.
 */
export async function run(bench) {
  const rows = [];
  for (const count of serverCount === undefined ? [1, 3] : [serverCount]) rows.push(...(await measure(bench, count)));
  return rows;
}

async function measure(bench, count) {
  const servers = await startServers(bench.emptyFolder(), count);
  const where = count === 1 ? "one server" : `${count} servers`;
  let load;
  try {
    const team = await makeTeam(bench, servers.urls);
    try {
      load = await startMembers(bench, servers.urls, team.name);
      await load.at(steps[0], 4);
      const quiet = await watched(servers, () => sleep(10_000));
      const empty = await team.status();
      const slow = await load.at(million, 10);
      const status = await team.status();
      const stored = (status.bytes - empty.bytes) / slow.times.length;
      return rowsOf({ where, quiet, slow, held: await heldOf(load, servers), stored, status });
    } finally {
      await load?.end();
      await team.close();
    }
  } finally {
    await servers.close();
  }
}

/** Finds the highest rate for a few seconds, then holds it for longer; lowers it if it is too high. */
async function heldOf(load, servers) {
  let rate = steps[0];
  for (const next of steps) {
    const seen = await load.at(next, 4);
    if (!isHeld(seen, next)) break;
    rate = next;
  }
  for (;;) {
    const seen = await watched(servers, () => load.at(rate, heldSeconds));
    if (isHeld(seen.result, rate) || rate < million) return { rate, ...seen };
    rate = Math.round(rate * 0.7);
  }
}

const isHeld = ({ sent, failed, seconds, times }, rate) =>
  failed === 0 && sent / seconds >= 0.9 * rate && quantile(times, 0.99) <= mostMs;

function rowsOf({ where, quiet, slow, held, stored, status }) {
  const { result, rate, before, after } = held;
  const mails = result.times.length;
  const one = (what, unit, value) => row({ what: `${where}: ${what}`, unit, values: [value] });
  const kilobytes = (key) => (after[key] - before[key]) / mails / 1000;
  const late = (times, share) => quantile(times, share);
  const idle = (key) => (quiet.after[key] - quiet.before[key]) / 10 / 1000;
  return [
    one(`sustained for ${heldSeconds} s`, "/s", result.sent / result.seconds),
    one("send() to reader, median", "ms", late(result.times, 0.5)),
    one("90th percentile", "ms", late(result.times, 0.9)),
    one("99th percentile", "ms", late(result.times, 0.99)),
    one("the same at a million a day, median", "ms", late(slow.times, 0.5)),
    one("99th percentile at that", "ms", late(slow.times, 0.99)),
    one("CPU of the servers for a mail", "ms", (after.cpuMs - before.cpuMs) / mails),
    one("CPU of senders and readers for a mail", "ms", result.cpuMs / mails),
    one("into the servers for a mail", "kB", kilobytes("inBytes")),
    one("out of the servers for a mail", "kB", kilobytes("outBytes")),
    one("stored for a mail, on each replica", "kB", stored / 1000),
    one("memory of a server before", "MB", quiet.before.most),
    one(`after ${heldSeconds} s at ${round(rate)}/s`, "MB", after.most),
    one("in and out while idle", "kB/s", idle("inBytes") + idle("outBytes")),
    one("connections", "", quiet.after.connections),
    one("readers at the server", "", status.consumers),
  ];
}

async function watched(servers, action) {
  const before = await servers.figures();
  const result = await action();
  return { before, result, after: await servers.figures() };
}

async function makeTeam(bench, urls) {
  const { loadBusStatus, openNatsTeamStore } = await bench.inside("store");
  const { createIdFactory, systemClock } = await bench.inside("platform");
  const home = bench.emptyFolder();
  const bus = { servers: urls };
  const store = openNatsTeamStore({ home, bus, clock: systemClock, createId: createIdFactory(systemClock) });
  const team = await store.create({ name: "load", cwd: home });
  return {
    name: team.name,
    async status() {
      const status = await (await loadBusStatus())(bus);
      const stream = status.streams.find((each) => each.team === team.name);
      return { bytes: stream.bytes, consumers: stream.consumers.length };
    },
    close: () => team.close(),
  };
}

async function startMembers(bench, urls, team) {
  const children = [];
  const end = async () => {
    for (const child of children) {
      if (!child.connected) continue;
      child.send({ do: "end" });
      await once(child, "exit");
    }
  };
  const told = (message) =>
    Promise.all(
      children.map(async (child) => {
        child.send(message);
        return (await once(child, "message"))[0];
      }),
    );
  const cpuOf = (all) => sum(all.map(({ cpu }) => (cpu.user + cpu.system) / 1000));
  try {
    while (children.length < processes) {
      const some = Array.from({ length: Math.min(5, processes - children.length) }, (_, n) => {
        const args = [bench.insides, urls.join(","), team, `${children.length + n}`, `${membersEach}`, `${processes}`];
        return fork(bench.child("bus-members"), args, { serialization: "advanced" });
      });
      children.push(...some);
      await Promise.all(some.map((child) => Promise.race([once(child, "message"), failed(child)])));
    }
  } catch (error) {
    await end();
    throw error;
  }
  return {
    /** Sends this number of mails a second in total, until the last has arrived. */
    async at(rate, seconds) {
      const first = cpuOf(await told({ do: "times" }));
      const began = performance.now();
      const all = await told({ do: "send", rate: rate / processes, seconds });
      const took = Math.max(seconds, (performance.now() - began) / 1000);
      // The sender stopped waiting for them; they are still sent, and must arrive.
      const failed = sum(all.map((each) => each.failed.length));
      const sent = sum(all.map((each) => each.sent));
      const times = [];
      let last;
      const giveUp = performance.now() + 60_000;
      while (times.length < sent) {
        if (performance.now() > giveUp) throw new Error(`${sent - times.length} of ${sent} mails have not arrived`);
        last = await told({ do: "times" });
        for (const each of last) times.push(...each.times);
        if (times.length < sent) await sleep(50);
      }
      if (times.length > sent) throw new Error(`${sent} were sent and ${times.length} arrived`);
      return { sent, failed, seconds: took, times, cpuMs: cpuOf(last ?? []) - first };
    },
    end,
  };
}

async function failed(child) {
  const [code] = await once(child, "exit");
  throw new Error(`a process of members exited with code ${code}`);
}
