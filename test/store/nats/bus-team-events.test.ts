import { expect, it, onTestFinished } from "vitest";
import type { AgentId, SessionId, StoredEnvelope } from "../../../src/protocol/index.ts";
import { createMemoryLog } from "../../../src/store/index.ts";
import { busStore, closedAfter, ports } from "../../support/bus/bus-stores.ts";
import { startNats } from "../../support/bus/nats-server.ts";

it("events of a remote agent are seen once, in order, also those from while the bus was down", async () => {
  const server = await startNats();
  onTestFinished(() => server.close());
  const worker = closedAfter(await busStore(server.url).create({ name: "crew", cwd: "/" }));
  const lead = closedAfter(await busStore(server.url).open("crew"));
  const session = ports.createId<SessionId>("ses");
  const log = createMemoryLog({ ...ports, session, agent: ports.createId<AgentId>("agt") });
  const happen = (n: number) => log.record({ type: "notice.raised", level: "info", code: "test", message: `${n}` });
  const envelopes: StoredEnvelope[] = [];
  for (let n = 0; n < 6; n++) envelopes.push(await happen(n));
  const [first, second, third, fourth, , sixth] = envelopes as [
    StoredEnvelope,
    StoredEnvelope,
    StoredEnvelope,
    StoredEnvelope,
    StoredEnvelope,
    StoredEnvelope,
  ];
  await worker.events?.append("scout", [first, second]);
  await server.kill();
  await worker.events?.append("scout", [third, fourth]);
  await server.start();
  await worker.events?.append("scout", [fourth, sixth]);
  const stop = new AbortController();
  const seen: unknown[] = [];
  for await (const news of lead.events?.follow("scout", stop.signal) ?? []) {
    seen.push("envelope" in news ? news.envelope : news);
    if (seen.length === 6) stop.abort();
  }
  expect(seen).toEqual([first, second, third, fourth, { missing: 1, session }, sixth]);
  await lead.events?.forget("scout");
  const other = new AbortController();
  const again = lead.events?.follow("scout", other.signal)[Symbol.asyncIterator]();
  const next = again?.next();
  await worker.events?.append("scout", [await happen(6)]);
  expect(await next).toMatchObject({ value: { envelope: { seq: 7 } } });
  other.abort();
  await again?.return?.();
});
