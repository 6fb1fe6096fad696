import { afterAll, beforeAll } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createNatsTeamStore } from "../../../src/store/nats/nats-team-store.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { teamStoreSuite } from "../../support/store/team-store-conformance.ts";
import { inboxConformance } from "../../support/store/inbox-conformance.ts";
import { type NatsServer, startNats } from "../../support/bus/nats-server.ts";

let server: NatsServer;
beforeAll(async () => {
  server = await startNats({ accounts: 300 });
});
afterAll(() => server.close());

teamStoreSuite("on the bus", async () => pair());

// Compacts all the time: nothing may depend on when compaction happens.
teamStoreSuite("on the bus, compacted all the time", async () => pair({ limitBytes: 1 }));

function pair(more: { limitBytes?: number } = {}) {
  let passed = 0;
  const uptime = () => systemClock.monotonic() + passed;
  const options = { bus: { servers: [server.address()] }, ...ports, uptime, beatMs: 1_000_000, ...more };
  return {
    store: createNatsTeamStore({ ...options, home: temporaryFolder() }),
    other: createNatsTeamStore({ ...options, home: temporaryFolder() }),
    leaseMs: 10_000,
    letTimePass: (ms: number) => void (passed += ms),
  };
}

const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
const addresses = new Map<string, string>();

const openMail = (limitBytes?: number) => async (home: string) => {
  const known = addresses.get(home);
  const address = known ?? server.address();
  addresses.set(home, address);
  const options = {
    bus: { servers: [address] },
    ...ports,
    home,
    ...(limitBytes !== undefined && { limitBytes, keepRead: 1 }),
  };
  const store = createNatsTeamStore(options);
  return known === undefined ? store.create({ name: "t", cwd: "/" }) : store.open("t");
};

inboxConformance("the bus", openMail());
inboxConformance("the bus, compacted all the time", openMail(1));
