import { rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { isSoak } from "../../support/setup/soak-rounds.ts";
import { busStore, closedAfter, until } from "../../support/bus/bus-stores.ts";
import { startNats } from "../../support/bus/nats-server.ts";
import { textMail, textsOf } from "../../support/mail/sample-mail.ts";
import { remotePlace } from "../../support/workers/remote-session.ts";

/** Two remote agents: one is busy and publishes a lot, the other is in the middle of one long command. */
const script = `
import { existsSync } from "node:fs";
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 600000 } }] });
const part = (name) => ({ tool: "Agent", input: { description: name, prompt: name, subagent_type: "general-purpose", name, isolation: "remote" } });
export default (ask) => {
  if (ask.agent === "lead")
    return ask.results.length === 0 ? { text: "", calls: [part("busy"), part("long")] } : { text: "lead heard: " + ask.results.map(({ text }) => text).join() };
  if (ask.said === "long") {
    if (existsSync("WAIT")) return bash("timeout 500 sh -c 'while test -e WAIT; do sleep 0.05; done'; true");
    return ask.result?.text.includes("committed") ? { text: "long is done" } : bash("echo long > long.txt; git add -A; git commit -qm long; echo committed");
  }
  return ask.turn <= 15 ? bash("sleep " + (ask.turn === 1 ? 0 : PAUSE) + "; echo " + ask.turn + " >> busy.txt; git add -A; git commit -qm busy" + ask.turn) : { text: "busy is done" };
};`;

interface Outage {
  readonly goneMs: number;
  /** Timeouts of the bus. */
  readonly bus: { readonly leaseMs: number; readonly leadWaitMs: number; readonly workerWaitMs: number };
}

/** All times are about a tenth of the usual ones, and the bus is down for six leases. */
const scaled: Outage = { goneMs: 8000, bus: { leaseMs: 2000, leadWaitMs: 5000, workerWaitMs: 6000 } };
const asSet = { leaseMs: 10_000, leadWaitMs: 60_000, workerWaitMs: 60_000 };
const outages: readonly (readonly [string, Outage])[] = isSoak
  ? [
      ["a minute", { goneMs: 60_000, bus: asSet }],
      ["ten minutes", { goneMs: 600_000, bus: asSet }],
    ]
  : [["longer than anybody waits", scaled]];

for (const [words, { goneMs, bus }] of outages)
  test(
    `bus is down for ${words}: lead, workers and members continue, nothing is lost or done twice`,
    async () => {
      const server = await startNats();
      onTestFinished(() => server.close());
      const { wait, said, live, git } = remotePlace({
        bus: server.url,
        script: script.replace("PAUSE", String(goneMs / 15_000)),
        workers: ["north", "south"],
        flags: { maxTokens: 10_000_000 },
        // The lead waits for them, however long that takes.
        settings: { bus, subagents: { handOverMs: 3_600_000 } },
      });
      const { session, seen } = await live();
      const one = closedAfter(await busStore(server.url).create({ name: "crew", cwd: "/" }));
      const two = closedAfter(await busStore(server.url).open("crew"));
      for (let n = 0; n < 8; n++) await one.tasks.create({ subject: `t${n}`, description: "" }, { name: "team-lead" });

      await session.dispatch({ type: "prompt", content: "go" });
      await until("both are at work", () => said.filter((line) => line.includes(") starts")).length === 2);
      await until("one has told of what it did", () => seen.some(({ event }) => event.type === "tool.settled"));
      await server.kill();
      const sent: string[] = [];
      const sending = [one, two].map(async (team, machine) => {
        for (let n = 0; n < 20; n++) {
          const text = `m${machine} ${n}`;
          sent.push(text);
          // Mail that the bus does not take in time is on disk, and the error says so.
          await team
            .inbox("bert")
            .send(textMail(text, { from: `m${machine}` }))
            .catch((error: Error) => expect(error.message).toContain("goes out when the bus is back"));
        }
      });
      const owners = new Map<number, string[]>();
      const claiming = [one, two].map(async (team, machine) => {
        for (let id = 1; id <= 8; id++) {
          const name = `w${machine}-${id}`;
          for (;;) {
            const answer = await team.tasks.claim(id, { name }).catch(() => undefined);
            if (answer?.ok) owners.set(id, [...(owners.get(id) ?? []), name]);
            if (answer) break;
          }
        }
      });
      await new Promise((resolve) => setTimeout(resolve, goneMs));
      await server.start();
      rmSync(wait);
      await Promise.all([...sending, ...claiming]);
      await session.settled();

      const answer = JSON.stringify(seen.findLast(({ event }) => event.type === "turn.ended")?.event);
      expect(answer).toContain("busy is done");
      expect(answer).toContain("long is done");
      await until("both are through", () => said.filter((line) => line.includes("completed")).length === 2);
      expect(said.filter((line) => line.includes(") starts"))).toHaveLength(2);
      const commits = git("log", "--format=%s", "--branches", "^main").trim().split("\n").sort();
      expect(commits).toEqual([...Array.from({ length: 15 }, (_, n) => `busy${n + 1}`), "long"].sort());
      const settled = seen.flatMap(({ event }) => (event.type === "tool.settled" ? [event.callId] : []));
      expect(new Set(settled).size).toBe(settled.length);
      expect(settled).toHaveLength(seen.filter(({ event }) => event.type === "tool.called").length);
      await until("all mail is there", async () => (await two.inbox("bert").peek()).mail.length >= sent.length);
      const mail = textsOf((await two.inbox("bert").peek()).mail);
      expect([...mail].sort()).toEqual([...sent].sort());
      for (const from of ["m0", "m1"])
        expect(mail.filter((text) => text.startsWith(from))).toEqual(sent.filter((text) => text.startsWith(from)));
      for (const [id, names] of owners) {
        expect(names).toHaveLength(1);
        expect((await one.tasks.get(id))?.owner).toBe(names[0]);
      }
      expect(owners.size).toBe(8);
    },
    goneMs * 2 + 300_000,
  );
