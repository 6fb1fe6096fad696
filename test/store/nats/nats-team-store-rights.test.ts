import { connect } from "@nats-io/transport-node";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { expect, it, onTestFinished } from "vitest";
import type { RequestId } from "../../../src/protocol/index.ts";
import { createId, bodyMail, textMail, textsOf } from "../../support/mail/sample-mail.ts";
import { worker } from "../../support/store/store-pair.ts";
import { busStore, closedAfter } from "../../support/bus/bus-stores.ts";
import { type NatsServer, startNats } from "../../support/bus/nats-server.ts";

const start = async (options?: Parameters<typeof startNats>[0]): Promise<NatsServer> => {
  const server = await startNats(options);
  onTestFinished(() => server.close());
  return server;
};

const raw = async (server: NatsServer) => {
  const connection = await connect({ servers: `127.0.0.1:${server.port}`, user: "u0", pass: "secret" });
  onTestFinished(() => connection.close());
  return { js: jetstream(connection), jsm: await jetstreamManager(connection) };
};

it("a duplicate that the broker has forgotten is read once; missing mail is reported", async () => {
  const server = await start();
  const team = closedAfter(
    await busStore(server.url, { limitBytes: 1, keepRead: 0 }).create({ name: "crew", cwd: "/" }),
  );
  const reader = await team.inbox("bert").openReader();
  await team.inbox("bert").send(textMail("once"));
  const { js, jsm } = await raw(server);
  const [stream] = await jsm.streams.names().next();
  const stored = await jsm.streams.getMessage(stream ?? "", { last_by_subj: "troupe.crew.inbox.bert" });
  const again = () => js.publish("troupe.crew.inbox.bert", stored?.data ?? "");
  await again();
  expect(textsOf(await reader.unread())).toEqual(["once"]);
  await reader.mark(
    (await reader.unread()).map(({ mail }) => mail.id),
    "read",
  );
  await team.inbox("bert").send(textMail("next"));
  // Read, removed by compaction, and sent once more.
  await again();
  expect(textsOf(await reader.unread())).toEqual(["next"]);
  const skipped = JSON.stringify({ o: "out_x", n: 5, records: [{ mail: textMail("fifth") }] });
  await js.publish("troupe.crew.inbox.bert", skipped);
  await js.publish("troupe.crew.inbox.bert", "not even JSON");
  expect(textsOf(await reader.unread())).toEqual(["next", "fifth"]);
  const notices = reader.takeNotices().join("\n");
  expect(notices).toContain("4 messages of out_x did not arrive");
  expect(notices).toContain("cannot read a message");
  await reader.unread();
  expect(reader.takeNotices()).toEqual([]);
});

it("a message that the bus refuses fails with an error, and nothing behind it waits", async () => {
  const permissions = '{ publish: { allow: [">"], deny: ["troupe.*.inbox.carl"] } }';
  const server = await start({ config: () => "max_payload: 65536", permissions });
  const team = closedAfter(await busStore(server.url).create({ name: "crew", cwd: "/" }));
  const requestId = createId<RequestId>("ask");
  const large = bodyMail({ kind: "shutdown_request", requestId, reason: "x".repeat(80_000) });
  const tooLarge = { code: "mail", message: expect.stringMatching(/accepts at most \d+ kB\./) };
  await expect(team.inbox("bert").send(large)).rejects.toMatchObject(tooLarge);
  const forbidden = { code: "storage", message: expect.stringContaining("refuses the request") };
  await expect(team.inbox("carl").send(textMail("no"))).rejects.toMatchObject(forbidden);
  await expect(team.inbox("carl").send(textMail("no"))).rejects.toMatchObject(forbidden);
  await team.inbox("bert").send(textMail("small"));
  expect(textsOf((await team.inbox("bert").peek()).mail)).toEqual(["small"]);
});

it("signs with a key that never leaves the machine: others can verify but not sign", async () => {
  const server = await start();
  const one = closedAfter(await busStore(server.url).create({ name: "crew", cwd: "/" }));
  const two = closedAfter(await busStore(server.url).open("crew"));
  await two.record.join({ ...worker("remote"), backendType: "remote" });
  const launch = { settings: JSON.stringify({ env: { MODEL_KEY: "very-secret" } }) };
  await one.record.join({ ...worker("local"), launch });
  expect((await one.record.read()).members.find(({ name }) => name === "local")?.launch).toEqual(launch);
  expect((await two.record.read()).members.find(({ name }) => name === "local")?.launch).toBeUndefined();
  expect(await two.record.keyOf("team-lead", "check")).toMatchObject({ type: "public" });
  expect(await two.record.keyOf("team-lead", "sign")).toBeUndefined();
  expect(await one.record.keyOf("team-lead", "sign")).toMatchObject({ type: "private" });
  // The first to sign for it keeps that right.
  expect(await one.record.keyOf("remote", "check")).toBeUndefined();
  expect(await two.record.keyOf("remote", "sign")).toMatchObject({ type: "private" });
  expect(await one.record.keyOf("remote", "sign")).toBeUndefined();
  expect(await one.record.keyOf("remote", "check")).toEqual(await two.record.keyOf("remote", "check"));
  const { jsm } = await raw(server);
  const [stream] = await jsm.streams.names().next();
  const key = await one.record.keyOf("team-lead", "sign");
  if (key?.type !== "private") throw new Error("no key");
  const secret = Buffer.from(key.der).toString("base64");
  const { state } = await jsm.streams.info(stream ?? "");
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const text = (await jsm.streams.getMessage(stream ?? "", { seq }))?.string() ?? "";
    expect(text).not.toContain(secret.slice(-40));
    expect(text).not.toContain("very-secret");
  }
});
