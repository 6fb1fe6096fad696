import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { StoredTeam } from "../../../../src/store/index.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { textMail, textsOf } from "../../../support/mail/sample-mail.ts";
import { busStore, closedAfter, until } from "../../../support/bus/bus-stores.ts";
import { type NatsServer, startNats } from "../../../support/bus/nats-server.ts";
import { startProxy } from "../../../support/bus/tcp-proxy.ts";

let server: NatsServer;
beforeAll(async () => {
  server = await startNats({ accounts: 3 });
});
afterAll(() => server.close());

const textsFor = async (team: StoredTeam, member: string) => textsOf((await team.inbox(member).peek()).mail);

it("a bus that does not answer in time fails each send; none is lost or duplicated, in order", async () => {
  const address = server.address();
  const options = { waitMs: 3_000 };
  const one = closedAfter(await busStore(address, options).create({ name: "crew", cwd: "/" }));
  const two = closedAfter(await busStore(address).open("crew"));
  const members = Array.from({ length: 20 }, (_, n) => `m${n}`);
  for (const member of members) await one.inbox(member).send(textMail("first"));
  server.signal("SIGSTOP");
  const sends = members.flatMap((member) =>
    Array.from({ length: 10 }, (_, n) => one.inbox(member).send(textMail(`late ${n}`))),
  );
  const answers = await Promise.allSettled(sends);
  server.signal("SIGCONT");
  for (const answer of answers)
    expect(answer).toMatchObject({
      status: "rejected",
      reason: {
        message: expect.stringContaining(
          "the message is on this disk and goes out when the bus is back. Do not send it again",
        ),
      },
    });
  for (const member of members) {
    await until("all is there", async () => (await textsFor(two, member)).length >= 11);
    expect(await textsFor(two, member)).toEqual(["first", ...Array.from({ length: 10 }, (_, n) => `late ${n}`)]);
  }
});

it("a send accepted for later and then refused is reported", async () => {
  const address = server.address();
  const wall = await startProxy(server.port);
  onTestFinished(() => wall.close());
  const through = address.replace(`:${server.port}`, `:${wall.port}`);
  closedAfter(await busStore(address).create({ name: "crew", cwd: "/" }));
  const one = closedAfter(await busStore(through, { waitMs: 3_000 }).open("crew"));
  const reader = await one.inbox("anna").openReader();
  await one.inbox("bert").send(textMail("first"));
  wall.cut();
  await expect(one.inbox("bert").send(textMail("x".repeat(5000)))).rejects.toThrow(/goes out when the bus is back/);
  const { username, password, host } = new URL(address);
  const connection = await connect({ servers: host, user: username, pass: password });
  onTestFinished(() => connection.close());
  const jsm = await jetstreamManager(connection);
  for await (const { config } of jsm.streams.list())
    if (config.name.startsWith("troupe=")) await jsm.streams.update(config.name, { ...config, max_msg_size: 2000 });
  wall.heal();
  const told: string[] = [];
  await until("the notice arrives", () => {
    told.push(...reader.takeNotices());
    return told.some((notice) => /^A message to bert .* will not arrive/.test(notice));
  });
});

it("records that the server lost are sent again, also while a new one is on its way", async () => {
  const address = server.address();
  const one = closedAfter(await busStore(address).create({ name: "crew", cwd: "/" }));
  const expected: string[] = [];
  for (let round = 0; round < 2; round++) {
    const before = join(temporaryFolder(), "store");
    await server.kill();
    cpSync(server.store, before, { recursive: true });
    await server.start();
    for (const text of [`a${round}`, `b${round}`]) {
      await one.inbox("bert").send(textMail(text));
      expected.push(text);
    }
    await server.kill();
    rmSync(server.store, { recursive: true });
    cpSync(before, server.store, { recursive: true });
    const sending = one.inbox("bert").send(textMail(`c${round}`));
    expected.push(`c${round}`);
    await server.start();
    await sending;
    const look = closedAfter(await busStore(address).open("crew"));
    await until("all is there", async () => (await textsFor(look, "bert")).length >= expected.length);
    expect([...(await textsFor(look, "bert"))].sort()).toEqual([...expected].sort());
    await look.close();
  }
});
