// Members of one team in one process, as on a worker: each reads its inbox and marks mails as read. Sends to any member
// of the team at the requested rate, and reports how long each mail took to its reader. Arguments: folder of the parts,
// servers, team, number of this process, members in each process, processes.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [parts, servers, name, own, each, processes] = process.argv.slice(2);
const inside = (part) => import(pathToFileURL(join(parts, `${part}.js`)).href);
const { openNatsTeamStore } = await inside("store");
const { createIdFactory, systemClock } = await inside("platform");
const createId = createIdFactory(systemClock);
const home = mkdtempSync(join(parts, "..", "members-"));
const bus = { servers: servers.split(",") };
const team = await openNatsTeamStore({ home, bus, clock: systemClock, createId }).open(name);
const member = (process, n) => `m${process}-${n}`;
const now = () => Number(process.hrtime.bigint()) / 1e6;
const filler = "a line of what one agent tells another ".repeat(8);

const stop = new AbortController();
let times = [];
const read = async (who) => {
  const reader = await team.inbox(who).openReader();
  const reading = (async () => {
    for await (const batch of reader.follow(stop.signal)) {
      const at = now();
      for (const { mail } of batch) times.push(at - Number(mail.body.text.slice(0, mail.body.text.indexOf(" "))));
      await reader.mark(
        batch.map(({ mail }) => mail.id),
        "read",
      );
    }
  })();
  return async () => {
    await reading;
    await reader.close();
  };
};
const ends = [];
for (let n = 0; n < Number(each); n++) ends.push(await read(member(own, n)));

/** Sends at a rate that does not wait for answers, so that delays show. Stops after twice the expected time. */
async function send({ rate, seconds }) {
  const failed = [];
  const going = [];
  const began = now();
  const all = Math.round(rate * seconds);
  for (let sent = 0; sent < all && now() - began < seconds * 2000; ) {
    const due = Math.min(all, Math.ceil(((now() - began) / 1000) * rate));
    for (; sent < due; sent++) {
      const to = member(Math.floor(Math.random() * processes), Math.floor(Math.random() * each));
      const body = { kind: "text", text: `${now()} ${filler}` };
      const timestamp = new Date().toISOString();
      const mail = { id: createId("mail"), from: member(own, 0), to, timestamp, wakes: true, body };
      going.push(
        team
          .inbox(to)
          .send(mail)
          .catch((error) => failed.push(error.message)),
      );
    }
    await sleep(5);
  }
  await Promise.all(going);
  return { sent: going.length, failed };
}

process.on("message", (message) => void carryOut(message));
// Also exits when the measuring process has ended.
process.on("disconnect", () => process.exit());

async function carryOut({ do: what, ...rest }) {
  if (what === "send") process.send({ ...(await send(rest)), cpu: process.cpuUsage() });
  if (what === "times") process.send({ times: times.splice(0), cpu: process.cpuUsage() });
  if (what === "end") {
    stop.abort();
    for (const end of ends) await end();
    await team.close();
    process.disconnect();
  }
}
process.send({ ready: true });
