import { interleave, quantile, row } from "./measure.mjs";
import { startServers } from "./nats-servers.mjs";

const alone = 300;
const together = 4000;
const claims = 150;

/**
 * Alternates teams on a bus with teams in files: one mail after another, many mails at once, from `send()` to a reader
 * on another connection, and a claim. The server is Debian's, on loopback. Neither it nor the files sync.
 */
export async function run(bench) {
  const { createFileTeamStore, openNatsTeamStore } = await bench.inside("store");
  const { createIdFactory, systemClock } = await bench.inside("platform");
  const createId = createIdFactory(systemClock);
  const ports = { clock: systemClock, createId };
  const server = await startServers(bench.emptyFolder(), 1);
  const address = { servers: server.urls };
  const stores = {
    files: (home) => createFileTeamStore({ home, ...ports, durability: "process" }),
    bus: () => openNatsTeamStore({ home: bench.emptyFolder(), bus: address, ...ports }),
  };
  let made = 0;
  const withTeam = (where, work) => async () => {
    const home = bench.emptyFolder();
    const team = await stores[where](home).create({ name: `bench${made++}`, cwd: home });
    const other = await stores[where](home).open(team.name);
    try {
      return await work(team, other);
    } finally {
      await other.close();
      await team.close();
      await stores[where](home).delete(team.name, { force: true });
    }
  };
  const mail = (n) => ({
    id: createId("mail"),
    from: "a",
    to: "b",
    timestamp: new Date().toISOString(),
    wakes: true,
    body: { kind: "text", text: `message ${n} ${"x".repeat(300)}` },
  });

  const oneByOne = async (team) => {
    const inbox = team.inbox("b");
    const started = performance.now();
    for (let n = 0; n < alone; n++) await inbox.send(mail(n));
    return (alone / (performance.now() - started)) * 1000;
  };
  const atOnce = async (team) => {
    const inbox = team.inbox("b");
    const started = performance.now();
    await Promise.all(Array.from({ length: together }, (_, n) => inbox.send(mail(n))));
    return (together / (performance.now() - started)) * 1000;
  };
  const delivery = async (team, other) => {
    const reader = await other.inbox("b").openReader();
    const stop = new AbortController();
    const times = [];
    let sentAt = 0;
    let heard;
    const reading = (async () => {
      for await (const _ of reader.follow(stop.signal)) {
        times.push(performance.now() - sentAt);
        heard?.();
      }
    })();
    for (let n = 0; n < alone; n++) {
      const arrives = new Promise((resolve) => (heard = resolve));
      sentAt = performance.now();
      await team.inbox("b").send(mail(n));
      await arrives;
    }
    stop.abort();
    await reading;
    await reader.close();
    return { middle: quantile(times, 0.5), late: quantile(times, 0.99) };
  };
  const claiming = async (team) => {
    for (let n = 0; n < claims; n++)
      await team.tasks.create({ subject: `t${n}`, description: "" }, { name: "team-lead" });
    const started = performance.now();
    for (let n = 1; n <= claims; n++) await team.tasks.claim(n, { name: `w${n}` });
    return (performance.now() - started) / claims;
  };

  try {
    const works = { oneByOne, atOnce, delivery, claiming };
    const tasks = Object.entries(works).flatMap(([name, work]) =>
      Object.keys(stores).map((where) => [`${name} ${where}`, withTeam(where, work)]),
    );
    const seen = await interleave(Object.fromEntries(tasks), { rounds: 5, seconds: 60, warmUp: 1 });
    const both = (name, pick = (value) => value) => ({
      values: seen[`${name} bus`].map(pick),
      bare: seen[`${name} files`].map(pick),
      against: "in files",
    });
    return [
      row({ what: "mail, one after another", unit: "/s", ...both("oneByOne") }),
      row({ what: `${together} mails at once`, unit: "/s", ...both("atOnce") }),
      row({ what: "from send() to a reader on another connection", ...both("delivery", ({ middle }) => middle) }),
      row({ what: "the same, 99th percentile", ...both("delivery", ({ late }) => late) }),
      row({ what: "claim", ...both("claiming") }),
    ];
  } finally {
    await server.close();
  }
}
