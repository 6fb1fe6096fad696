import { join } from "node:path";
import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";
import { agent, lead, teamSession } from "../../support/team/team-session.ts";
import { alpha, filesOf, inState, leading, mate, membersOf } from "../../support/team/scripted-team.ts";

test("promise 14: one spawn is one agent: 100 runs of 16 spawns in one answer, none lost or doubled", async () => {
  const names = Array.from({ length: 16 }, (_, index) => `agent-${index}`);
  for (let run = 0; run < 100; run++) {
    const team = await teamSession({
      answer: lead([{ calls: names.map((name) => agent(name, { name })) }, { text: "over" }], (ask) => ({
        text: `I am ${ask.said}`,
      })),
    });
    await team.ask("go");
    const paths = team.all("agent.spawned").map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["lead", ...names.map((name) => `lead/${name}`)].toSorted());
    const results = team.all("tool.settled", "lead");
    expect(results).toHaveLength(16);
    for (const [index, { outcome, content }] of results
      .toSorted((a, b) => number(a.callId) - number(b.callId))
      .entries()) {
      expect(outcome).toBe("ok");
      expect(JSON.stringify(content)).toContain(`I am ${names[index]}\\n`);
    }
    expect(team.asked(/^lead\//)).toHaveLength(16);
    await team.close();
  }
});

const number = (callId: string) => Number(callId.split("_").at(-1));

test("promise 14: interrupted and repeated answer starts its agent once", async () => {
  const team = await teamSession({
    flags: { model: "scripted/s.json" },
    more: { model: undefined },
    files: {
      "project/s.json": {
        version: 1,
        steps: [
          {
            text: "one",
            calls: [agent("work", { name: "only" })],
            chunk: 5,
            fault: { kind: "cut", after: 30, times: 2 },
          },
          { text: "over" },
        ],
        agents: { "lead/only": { steps: [{ text: "done" }] } },
      },
    },
    answer: () => undefined,
  });
  expect(await team.ask("go")).toMatchObject({ reason: "completed", text: "over" });
  expect(team.all("turn.retried", "lead")).toHaveLength(2);
  expect(team.all("tool.drafted", "lead").length).toBeGreaterThan(2);
  expect(team.all("agent.spawned").map(({ path }) => path)).toEqual(["lead", "lead/only"]);
});

const killed = `
export default (ask) => {
  if (ask.agent !== "lead") return { text: "x", fault: { kind: "hang" } };
  if (ask.turn === 1) return { text: "", calls: [{ tool: "Agent", input: { description: "d", prompt: "work", subagent_type: "general-purpose", name: "only" } }] };
  return { text: "heard: " + ask.results.length + " " + /<agent-id>\\w+/.exec(JSON.stringify(ask.request.messages)) };
};`;

test("promise 14: kill between an agent's start and its call's result starts no second agent", async () => {
  const place = workplace();
  place.write("s.mjs", killed);
  const flags = ["--model", "scripted/s.mjs", "--output-format", "stream-json", ...bypass];
  const first = place.start(["-p", "go", ...flags], { input: "" });
  await first.saw(/"agent\.spawned","path":"lead\/only"/);
  first.child.kill("SIGKILL");
  const { stdout } = await first.done;
  const id = /ses_[0-9a-z]+/.exec(stdout)?.[0] ?? "";
  for (let life = 2; life <= 4; life++) {
    const next = await place.run(["-p", `life ${life}`, "--resume", id, ...flags]);
    expect(next.code).toBe(0);
  }
  const store = createFileSessionStore({
    home: join(place.home, ".troupe"),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  });
  const { lead: log, agents } = await store.read(id);
  const spawned = [...agents.values()].flat().flatMap(({ event }) => (event.type === "agent.spawned" ? [event] : []));
  expect(spawned).toMatchObject([{ path: "lead/only", callId: "call_lead_1_1" }]);
  const events = log.map(({ event }) => event);
  expect(events.filter((event) => event.type === "tool.settled")).toMatchObject([
    { callId: "call_lead_1_1", outcome: "interrupted" },
  ]);
  // The lead reads once that its agent was at work, and by which id it can be resumed.
  const told = events.filter((event) => event.type === "prompt.admitted" && event.source === "background");
  expect(JSON.stringify(told).match(/<agent-id>agt_/g)).toHaveLength(1);
});

test("promise 14: one call is one teammate, however often it is retried or resumed", async () => {
  const answers = leading([{ calls: [mate("scout", "look"), mate("scout", "look too")] }, { text: "waiting" }], () => ({
    text: "seen",
  }));
  const team = await alpha({ answer: answers });
  await team.ask("go");
  await inState(team, "scout", "idle");
  await inState(team, "scout-2", "idle");
  const before = await membersOf(team.tree);
  expect(before.map(({ name, callId }) => `${name} ${callId}`)).toEqual([
    "scout call_lead_1_1",
    "scout-2 call_lead_1_2",
  ]);
  await team.close();
  // As after a crash between the join and the result of the call: a retry of that call adds no member.
  const { record } = await filesOf(team.tree);
  const { joinedAt: _, agentId: __, subscriptions: ___, ...scout } = before[0]!;
  expect(await record.join(scout)).toMatchObject({ isNew: false, member: { name: "scout" } });
  for (let life = 0; life < 2; life++) {
    const again = await alpha({
      tree: team.tree,
      resume: team.session.id,
      answer: leading([], () => ({ text: "seen" })),
    });
    await inState(again, "scout", "idle");
    await inState(again, "scout-2", "idle");
    expect(again.asked(/@alpha$/)).toEqual([]);
    expect((await membersOf(team.tree)).map(({ name }) => name)).toEqual(["scout", "scout-2"]);
    await again.close();
  }
});
