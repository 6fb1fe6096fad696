import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { teamStoreSuite } from "../../support/store/team-store-conformance.ts";

teamStoreSuite("on files", async () => pair(temporaryFolder()));

// Compacts all the time: nothing may depend on when compaction happens.
teamStoreSuite("on files that are always too large", async () => pair(temporaryFolder(), { limitBytes: 1 }));

function pair(home: string, more: { limitBytes?: number } = {}) {
  let passed = 0;
  const uptime = () => systemClock.monotonic() + passed;
  const options = {
    home,
    clock: systemClock,
    createId: createIdFactory(systemClock),
    uptime,
    beatMs: 1_000_000,
    ...more,
  };
  return {
    store: createFileTeamStore(options),
    other: createFileTeamStore(options),
    leaseMs: 10_000,
    letTimePass: (ms: number) => void (passed += ms),
  };
}
