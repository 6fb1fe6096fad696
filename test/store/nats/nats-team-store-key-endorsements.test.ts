import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import type { StoredTeam } from "../../../src/store/index.ts";
import { openMailbox } from "../../../src/team/index.ts";
import { busStore, closedAfter, ports } from "../../support/bus/bus-stores.ts";
import { startNats } from "../../support/bus/nats-server.ts";

const tester = {
  name: "tester",
  cwd: "/",
  backendType: "remote" as const,
  worker: { labels: [], branch: "troupe/agent-1", base: "0".repeat(40) },
};

const mailboxOf = (team: StoredTeam) => {
  const mailbox = openMailbox(team, ports);
  onTestFinished(() => mailbox.close());
  return mailbox;
};

it("workers sign for a member with keys that the lead endorsed, one after another, and no others do", async () => {
  const server = await startNats();
  onTestFinished(() => server.close());
  const lead = closedAfter(await busStore(server.url).create({ name: "crew", cwd: "/" }));
  await lead.record.join(tester);
  const north = closedAfter(await busStore(server.url).open("crew"));
  const south = closedAfter(await busStore(server.url).open("crew"));
  const offered = await north.record.offerKey?.("tester");
  // Being first does not give the right to sign for it.
  expect(await north.record.keyOf("tester", "sign")).toBeUndefined();
  await expect(north.record.vouchFor?.("tester", offered ?? "")).rejects.toThrow("Only the lead's machine");
  await lead.record.vouchFor?.("tester", offered ?? "");
  await north.record.read();
  expect(await north.record.keyOf("tester", "sign")).toMatchObject({ type: "private" });
  const heard = mailboxOf(lead);
  const idle = { kind: "idle_notification", idleReason: "available" } as const;
  await mailboxOf(north).send({ from: "tester", to: "team-lead", body: idle });
  expect(await heard.readUnread("team-lead")).toMatchObject([{ sender: "verified" }]);

  await lead.record.vouchFor?.("tester", (await south.record.offerKey?.("tester")) ?? "");
  await south.record.read();
  await mailboxOf(south).send({ from: "tester", to: "team-lead", body: idle });
  // Both verify as the member, for existing readers and for new ones.
  const both = [{ sender: "verified" }, { sender: "verified" }];
  expect(await heard.readUnread("team-lead")).toMatchObject(both);
  expect(await mailboxOf(closedAfter(await busStore(server.url).open("crew"))).readAll("team-lead")).toMatchObject(
    both,
  );
  await north.record.read();
  expect(await north.record.keyOf("tester", "sign")).toBeUndefined();

  // A repeated endorsement of the lead, sent by another client, changes nothing.
  const connection = await connect({ servers: `127.0.0.1:${server.port}`, user: "u0", pass: "secret" });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection);
  const [stream = ""] = await manager.streams.names().next();
  const { state } = await manager.streams.info(stream);
  const before = await lead.record.read();
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message?.string().includes('"voucher"')) await jetstream(connection).publish(message.subject, message.data);
    // No private key is on the bus.
    expect(message?.string() ?? "").not.toContain("MC4CAQAwBQYDK2Vw");
  }
  const now = await lead.record.read();
  expect([now.publicKeys, now.formerKeys]).toEqual([before.publicKeys, before.formerKeys]);
  expect(now.formerKeys?.["tester"]).toEqual([offered]);
});
