import { join } from "node:path";
import { expect, test } from "vitest";
import type { Event } from "../../../../src/protocol/index.ts";
import { createFileSessionStore } from "../../../../src/store/index.ts";
import { type Lead, teamWorkplace, type TeamWorkplace } from "../../../support/cli/team-workplace.ts";
import { knownPid } from "../../../support/processes/live-processes.ts";
import { ports, reportOf, written } from "../../../support/team/scripted-team.ts";

const mates = (...names: string[]) =>
  JSON.stringify(names.map((name) => ({ tool: "Agent", input: { description: "d", prompt: "work", name } })));

/** Stored events of a lead, its members in panes, and all their agents. */
async function storedOf(place: TeamWorkplace, lead: Lead): Promise<Event[]> {
  const store = createFileSessionStore({ home: join(place.home, ".troupe"), ...ports });
  const sessions = [await lead.session(), ...(await place.members()).map(({ sessionId }) => sessionId ?? "")];
  const logs = await Promise.all(sessions.map((id) => store.read(id)));
  return logs.flatMap(({ lead: own, agents }) => [own, ...agents.values()].flat().map(({ event }) => event));
}

async function finish(place: TeamWorkplace, lead: Lead): Promise<void> {
  lead.end();
  await lead.done;
  await place.nobodyLeft();
}

test.each([
  ["money", ["--max-budget-usd", "0.5"], 0.5],
  ["tokens", ["--max-tokens", "50000"], 50_000],
])("promise 29: lead and teammates in panes share one budget of %s", async (kind, more, most) => {
  const script = `
export default ({ agent, turn }) =>
  agent === "lead"
    ? turn === 1 ? { calls: ${mates("a", "b")} } : { text: "waiting" }
    : { text: "more", calls: [{ tool: "Bash", input: { command: "echo " + turn } }] };`;
  const place = teamWorkplace(script, { models: { "scripted/s.mjs": { price: { input: 10, output: 10 } } } });
  const lead = place.lead({ more });
  lead.send({ type: "prompt", content: "go" });
  for (const name of ["a", "b"]) await lead.until(reportOf(name));
  const spent = (await storedOf(place, lead)).flatMap((event) => {
    if (event.type !== "cost.recorded") return [];
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
    return kind === "money" ? event.costUsd : inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  });
  const sum = spent.reduce((all, each) => all + each, 0);
  expect(sum).toBeGreaterThan(most / 2);
  expect(sum).toBeLessThanOrEqual(most + Math.max(...spent));
  await finish(place, lead);
});

test("promise 29: agent cap holds for teammates in panes and their subagents together", async () => {
  const script = `
const more = { tool: "Agent", input: { description: "d", prompt: "more", subagent_type: "general-purpose" } };
export default ({ agent, turn }) => {
  if (agent === "lead") return turn === 1 ? { calls: ${mates("a", "b")} } : { text: "waiting" };
  return agent.endsWith("@alpha") && turn === 1 ? { calls: [more, more, more] } : { text: "done" };
};`;
  const place = teamWorkplace(script, { limits: { maxAgents: 5, maxConcurrentAgents: 1 } });
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  for (const name of ["a", "b"]) await lead.until(reportOf(name));
  const stored = await storedOf(place, lead);
  expect(stored.filter((event) => event.type === "agent.spawned" && event.parent !== undefined)).toHaveLength(3);
  const refused = stored.filter((event) => event.type === "tool.settled" && event.outcome === "failed");
  expect(refused).toHaveLength(3);
  for (const event of refused) expect(JSON.stringify(event)).toContain("has started 5 of at most 5 agents");
  await finish(place, lead);
});

test("promise 29: slot of an agent whose teammate was killed is free for others", async () => {
  const script = `
const more = { tool: "Agent", input: { description: "d", prompt: "more", subagent_type: "general-purpose" } };
export default ({ agent, turn, said }) => {
  if (agent === "lead") return said.includes("now you") && turn === 3 ? { calls: [more] } : turn === 1 ? { calls: ${mates("a")} } : { text: "waiting" };
  if (agent === "a@alpha") return { calls: [more] };
  return agent.startsWith("lead/") ? { text: "done" } : { calls: [{ tool: "Bash", input: { command: "echo yes > began; sleep 600" } }] };
};`;
  const place = teamWorkplace(script, { limits: { maxConcurrentAgents: 1 } });
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await written(place.cwd, "began");
  lead.send({ type: "prompt", content: "now you" });
  await lead.until((event) => event.type === "tool.progress" && event.text.startsWith("waiting for a slot"));
  process.kill(knownPid(place.pids()["a"]), "SIGKILL");
  await lead.until((event) => event.type === "agent.spawned" && event.path.startsWith("lead/"));
  await finish(place, lead);
});
