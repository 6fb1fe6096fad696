import { randomFillSync } from "node:crypto";
import { onTestFinished } from "vitest";
import { createMemoryWorld, type MemoryWorld } from "../../../src/store/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { inboxConformance } from "../../support/store/inbox-conformance.ts";
import { teamStoreSuite } from "../../support/store/team-store-conformance.ts";

const newWorld = () => {
  const clock = createTestClock({ start: Date.now() });
  return { clock, world: createMemoryWorld({ clock, fillRandom: randomFillSync }) };
};

teamStoreSuite("in memory", async () => {
  const { clock, world } = newWorld();
  return {
    store: world.startProcess().teams,
    other: world.startProcess().teams,
    leaseMs: 10_000,
    letTimePass: (ms) => void clock.advance(ms),
  };
});

const worlds = new Map<string, MemoryWorld>();

inboxConformance("memory", async (home) => {
  const known = worlds.get(home);
  const world = known ?? newWorld().world;
  worlds.set(home, world);
  onTestFinished(() => void worlds.delete(home));
  const { teams } = world.startProcess({ pid: process.pid });
  return known ? teams.open("t") : teams.create({ name: "t", cwd: "/work" });
});
