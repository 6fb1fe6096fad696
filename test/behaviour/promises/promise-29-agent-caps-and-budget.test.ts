import { expect, test } from "vitest";
import { agent, teamSession } from "../../support/team/team-session.ts";

const always = () => ({ text: "more", calls: [agent("more"), agent("more")] });

test("promise 29: script that always spawns is stopped at the caps on agents and depth", async () => {
  const team = await teamSession({
    settings: { limits: { maxAgents: 20, maxDepth: 3, maxConcurrentAgents: 4 } },
    flags: { maxTurns: 6 },
    answer: always,
  });
  await team.ask("go");
  const spawned = team.all("agent.spawned");
  expect(spawned).toHaveLength(21);
  expect(Math.max(...spawned.map(({ path }) => path.split("/").length - 1))).toBeLessThanOrEqual(3);
});

test("promise 29: budget holds for the whole tree: at most the cap plus one call, all cost counted", async () => {
  const cap = 0.5;
  const team = await teamSession({
    settings: {
      limits: { maxAgents: 400, maxDepth: 3 },
      models: { "scripted/script": { price: { input: 10, output: 10 } } },
    },
    flags: { permissionMode: "bypassPermissions", maxBudgetUsd: cap },
    answer: always,
  });
  const reply = await team.ask("go");
  const costs = team.all("cost.recorded").map(({ costUsd }) => costUsd);
  const spent = costs.reduce((sum, usd) => sum + usd, 0);
  expect(reply.reason).toBe("limit");
  expect(spent).toBeGreaterThan(cap / 2);
  expect(spent).toBeLessThanOrEqual(cap + Math.max(...costs));
  expect(costs).toHaveLength(team.model.calls.filter(({ end }) => end === "finished").length);
});
