import { afterAll, beforeAll, expect, it } from "vitest";
import { busStore, closedAfter, until } from "../../../support/bus/bus-stores.ts";
import { type NatsServer, startNats } from "../../../support/bus/nats-server.ts";

let server: NatsServer;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

it("concurrent presence of members is heard, even if the server skips messages", async () => {
  const address = server.address();
  const options = { beatMs: 200 };
  const one = closedAfter(await busStore(address, options).create({ name: "crew", cwd: "/" }));
  const two = closedAfter(await busStore(address, options).open("crew"));
  const names = Array.from({ length: 8 }, (_, n) => `m${n}`);
  for (const name of names) await one.record.join({ name, cwd: "/", backendType: "in-process" });
  const members = await Promise.all(names.map((name) => one.presence.announce(name, "working")));
  for (let round = 0; round < 25; round++)
    await Promise.all(members.map((each, n) => each.set(round % 2 ? "working" : "waiting", `${round} of ${n}`)));
  await Promise.all(members.map((each, n) => each.set("idle", `rest of ${n}`)));
  const there = await Promise.all(names.map((name) => one.presence.look(name)));
  expect(there.map((each) => each?.detail)).toEqual(names.map((_, n) => `rest of ${n}`));
  await until("the other one knows as well", async () => {
    const seen = await Promise.all(names.map((name) => two.presence.look(name)));
    return seen.every((each, n) => each?.state === "idle" && each.detail === `rest of ${n}`);
  });
  for (const each of members) await each.close();
});
