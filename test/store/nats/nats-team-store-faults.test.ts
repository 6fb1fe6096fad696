import { cpSync, rmSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { currentProcess } from "../../../src/platform/index.ts";
import type { MailId } from "../../../src/protocol/index.ts";
import type { StoredTeam } from "../../../src/store/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { textMail, textsOf } from "../../support/mail/sample-mail.ts";
import { worker } from "../../support/store/store-pair.ts";
import { busStore, closedAfter, until } from "../../support/bus/bus-stores.ts";
import { type NatsServer, startNats } from "../../support/bus/nats-server.ts";
import { startProxy } from "../../support/bus/tcp-proxy.ts";

const start = async (options?: Parameters<typeof startNats>[0]): Promise<NatsServer> => {
  const server = await startNats(options);
  onTestFinished(() => server.close());
  return server;
};

/** Two machines with the same team. */
const startTeam = async (server: NatsServer, options: Parameters<typeof busStore>[1] = {}) => {
  const one = closedAfter(await busStore(server.url, options).create({ name: "crew", cwd: "/" }));
  const two = closedAfter(await busStore(server.url, options).open("crew"));
  return { one, two };
};

const readAll = async (team: StoredTeam, member = "bert") => textsOf((await team.inbox(member).peek()).mail);

it("server killed 25 times under load: nothing acknowledged is lost or done twice", async () => {
  const server = await start();
  const { one, two } = await startTeam(server);
  for (let n = 0; n < 40; n++) await one.tasks.create({ subject: `t${n}`, description: "" }, { name: "team-lead" });
  const over = new AbortController();
  let acknowledged = 0;
  const sent = new Map<string, string[]>();
  const sending = [one, two].flatMap((team, machine) =>
    [0, 1].map(async (lane) => {
      const from = `m${machine}-${lane}`;
      const own: string[] = [];
      sent.set(from, own);
      for (let n = 0; !over.signal.aborted; n++) {
        await team.inbox("bert").send(textMail(`${from} ${n}`, { from }));
        own.push(`${from} ${n}`);
        acknowledged += 1;
      }
    }),
  );
  const owners = new Map<number, string[]>();
  const claiming = [one, two].map(async (team, machine) => {
    for (let id = 1; id <= 40 && !over.signal.aborted; id++) {
      const name = `w${machine}-${id}`;
      const answer = await team.tasks.claim(id, { name });
      if (answer.ok) owners.set(id, [...(owners.get(id) ?? []), name]);
      await until("some mail is sent in between", () => over.signal.aborted || Math.random() < 0.05);
    }
  });
  const abort = new AbortController();
  const seen: string[] = [];
  const reader = await two.inbox("bert").openReader();
  const reading = (async () => {
    for await (const batch of reader.follow(abort.signal)) {
      seen.push(...textsOf(batch));
      await reader.mark(
        batch.map(({ mail }) => mail.id),
        "read",
      );
    }
  })();
  for (let round = 0; round < 25; round++) {
    const before = acknowledged;
    await until("mail is moving", () => acknowledged > before + 5);
    await server.kill();
    await server.start();
  }
  over.abort();
  await Promise.all([...sending, ...claiming]);
  const total = [...sent.values()].flat();
  await until("all has been read", () => seen.length >= total.length);
  abort.abort();
  await reading;
  expect([...seen].sort()).toEqual([...total].sort());
  for (const [from, texts] of sent) expect(seen.filter((text) => text.startsWith(`${from} `))).toEqual(texts);
  for (const [id, names] of owners) {
    expect(names).toHaveLength(1);
    expect((await one.tasks.get(id))?.owner).toBe(names[0]);
  }
  expect((await two.tasks.list()).map(({ owner }) => owner)).toEqual(
    (await one.tasks.list()).map(({ owner }) => owner),
  );
  expect(await reader.unread()).toEqual([]);
});

it("waits for a briefly stopped server and declares no member dead", async () => {
  const server = await start();
  const { one, two } = await startTeam(server, { leaseMs: 1000, beatMs: 100 });
  await one.record.join(worker("anna"));
  const presence = await one.presence.announce("anna", "working");
  server.signal("SIGSTOP");
  const mail = one.inbox("bert").send(textMail("late"));
  const claim = one.tasks.create({ subject: "late", description: "" }, { name: "team-lead" });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  server.signal("SIGCONT");
  await mail;
  expect(await two.presence.goneReason("anna")).toBeUndefined();
  expect(await claim).toMatchObject({ ok: true, item: { id: 1 } });
  expect(await readAll(two)).toEqual(["late"]);
  expect(await two.presence.goneReason("anna")).toBeUndefined();
  await presence.close();
});

it("keeps mail that the bus does not accept on disk, and the next process sends it once, in order", async () => {
  const server = await start();
  const home = temporaryFolder();
  const options = { home, waitMs: 3_000 };
  const one = await busStore(server.url, options).create({ name: "crew", cwd: "/" });
  await one.inbox("bert").send(textMail("first"));
  const reader = await one.inbox("bert").openReader();
  const [first] = await reader.unread();
  await server.kill();
  const late = ["second", "third", "fourth"].map((text) => one.inbox("bert").send(textMail(text)));
  for (const send of late)
    await expect(send).rejects.toMatchObject({
      code: "storage",
      message: expect.stringContaining("goes out when the bus is back"),
    });
  // An agent in the middle of its turn continues.
  await reader.mark([first?.mail.id as MailId], "read");
  expect(textsOf(await reader.unread())).toEqual([]);
  await one.close();
  await server.start();
  const again = closedAfter(await busStore(server.url, options).open("crew"));
  await again.inbox("bert").send(textMail("fifth"));
  const other = closedAfter(await busStore(server.url).open("crew"));
  const { mail, problems } = await other.inbox("bert").peek();
  expect(textsOf(mail)).toEqual(["first", "second", "third", "fourth", "fifth"]);
  expect(mail.map(({ state }) => state)).toEqual(["read", "queued", "queued", "queued", "queued"]);
  expect(problems).toEqual([]);
});

it("a task stays with its owner while it is heard, and goes to one other when it is cut off", async () => {
  const server = await start();
  const proxy = await startProxy(server.port);
  onTestFinished(() => proxy.close());
  const lease = { leaseMs: 800, beatMs: 100 };
  const through = server.url.replace(`:${server.port}`, `:${proxy.port}`);
  const two = closedAfter(await busStore(server.url, lease).create({ name: "crew", cwd: "/" }));
  const one = closedAfter(await busStore(through, { ...lease, waitMs: 20_000 }).open("crew"));
  await one.record.join(worker("anna"));
  await one.tasks.create({ subject: "a", description: "" }, { name: "team-lead" });
  const presence = await one.presence.announce("anna", "working");
  const held = await one.tasks.claim(1, { name: "anna", holder: currentProcess() });
  if (!held.ok) throw new Error(held.message);
  const gone = ({ name }: { name: string }) => two.presence.goneReason(name);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await two.tasks.releaseGone(gone)).toEqual([]);
  proxy.cut();
  const done = one.tasks.complete(1, { name: "anna", generation: held.item.generation });
  const whileAway = one.inbox("bert").send(textMail("from beyond"));
  await until("its lease is over", async () => (await two.tasks.releaseGone(gone)).length === 1);
  // A process that hears no presence declares no member dead.
  expect(await one.presence.goneReason("team-lead")).toBeUndefined();
  expect(await two.tasks.claim(1, { name: "bert" })).toMatchObject({ ok: true, item: { generation: 2 } });
  proxy.heal();
  expect(await done).toMatchObject({ ok: false, reason: "stale" });
  await whileAway;
  expect(await readAll(two)).toEqual(["from beyond"]);
  expect(await one.tasks.get(1)).toMatchObject({ owner: "bert", status: "in_progress" });
  await presence.close();
});

it("restores records that the server acknowledged and lost, and reports it", async () => {
  const server = await start();
  const { one, two } = await startTeam(server);
  const reader = await two.inbox("bert").openReader();
  await one.inbox("bert").send(textMail("kept"));
  await one.tasks.create({ subject: "kept", description: "" }, { name: "team-lead" });
  await server.kill();
  const copy = temporaryFolder();
  cpSync(server.store, copy, { recursive: true });
  await server.start();
  await one.inbox("bert").send(textMail("lost"));
  await one.inbox("bert").send(textMail("too"));
  await one.tasks.create({ subject: "lost", description: "" }, { name: "team-lead" });
  await until("the other machine is back too", async () => (await reader.unread()).length === 3);
  expect(await two.tasks.list()).toHaveLength(2);
  await server.kill();
  rmSync(server.store, { recursive: true });
  cpSync(copy, server.store, { recursive: true });
  await server.start();
  const fresh = closedAfter(await busStore(server.url).open("crew"));
  await until("it is sent again", async () => (await readAll(fresh)).length === 3);
  expect(await readAll(fresh)).toEqual(["kept", "lost", "too"]);
  expect(textsOf(await reader.unread())).toEqual(["kept", "lost", "too"]);
  await until("the list is put back", async () => (await fresh.tasks.list()).length === 2);
  expect(await one.tasks.create({ subject: "next", description: "" }, { name: "team-lead" })).toMatchObject({
    item: { id: 3 },
  });
  expect(one.tasks.problems().join()).toContain("lost records that it had acknowledged");
  const own = await one.inbox("carl").openReader();
  expect(own.takeNotices().join()).toContain("2 messages that it had acknowledged");
});

it("sends what a dead process left, also from the outbox that it reuses", async () => {
  const server = await start();
  const home = temporaryFolder();
  const options = { home, waitMs: 1_500 };
  const first = await busStore(server.url, options).create({ name: "crew", cwd: "/" });
  await server.kill();
  for (const text of ["a", "b"])
    await expect(first.inbox("bert").send(textMail(text))).rejects.toMatchObject({ code: "storage" });
  await first.close();
  await server.start();
  const looker = closedAfter(await busStore(server.url, { home }).open("crew"));
  // No new send is needed for it.
  await until("it is sent", async () => (await readAll(looker)).length === 2);
  const again = closedAfter(await busStore(server.url, { home }).open("crew"));
  await Promise.all(["c", "d"].map((text) => again.inbox("bert").send(textMail(text))));
  expect(await readAll(looker)).toEqual(["a", "b", "c", "d"]);
});
