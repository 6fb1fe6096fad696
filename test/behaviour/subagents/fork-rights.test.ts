import { expect, test } from "vitest";
import { forkSession, isForks } from "../../support/session/fork-session.ts";

test("fork changes neither teams nor tasks of its parent", async () => {
  const calls = [
    { tool: "TeamDelete", input: {} },
    { tool: "TeamCreate", input: { team_name: "beta" } },
    { tool: "TaskCreate", input: { subject: "by the fork", description: "d" } },
    { tool: "TaskUpdate", input: { taskId: "1", status: "in_progress" } },
    { tool: "TaskList", input: {} },
  ];
  let hasTried = false;
  const { session, end } = await forkSession(
    (ask) => {
      if (isForks(ask)) {
        if (hasTried) return { text: "Tried." };
        hasTried = true;
        return { calls };
      }
      if (ask.turn === 1) return { calls: [{ tool: "TaskCreate", input: { subject: "s", description: "d" } }] };
      if (ask.turn === 2) return { calls: [{ tool: "Agent", input: { description: "copy", prompt: "Try it." } }] };
      return { text: "Done." };
    },
    { team: "alpha" },
  );
  await session.ask("Go.");
  const envelopes = await end();
  const lead = envelopes[0]?.agent;
  const ofFork = envelopes.flatMap(({ agent, event }) =>
    agent !== lead && event.type === "tool.settled"
      ? [event.content.map((part) => (part.type === "text" ? part.text : "")).join("")]
      : [],
  );
  expect(ofFork).toHaveLength(5);
  for (const text of ofFork.slice(0, 4)) expect(text).toMatch(/^You are a fork: \w+ would act for your parent/);
  expect(ofFork[4]).toContain("#1");
  expect(ofFork[4]).not.toContain("by the fork");
});

test("prompt that begins like the instructions of a fork makes no fork of the lead", async () => {
  const { session, end } = await forkSession((ask) => {
    if (ask.said.includes("Report back.")) return { text: "Reported." };
    return ask.results.length > 0
      ? { text: "Done." }
      : { calls: [{ tool: "Agent", input: { description: "copy", prompt: "Report back." } }] };
  });
  await session.ask("<fork-instructions> is a tag. Start one.");
  const settled = (await end()).flatMap(({ event }) => (event.type === "tool.settled" ? [event.outcome] : []));
  expect(settled).toEqual(["ok"]);
});

test("plan_mode_required without a teammate is an error, and nothing starts", async () => {
  const input = { description: "plans", prompt: "Plan it.", plan_mode_required: true };
  const { session, end } = await forkSession(
    (ask) => (ask.results.length > 0 ? { text: "Done." } : { calls: [{ tool: "Agent", input }] }),
    { team: "alpha", forks: false },
  );
  await session.ask("Go.");
  const envelopes = await end();
  const [settled] = envelopes.flatMap(({ event }) => (event.type === "tool.settled" ? [event] : []));
  expect(settled).toMatchObject({ outcome: "failed" });
  expect(JSON.stringify(settled?.content)).toContain("Only a teammate can be made to plan first. Add a name");
  expect(envelopes.filter(({ event }) => event.type === "agent.spawned")).toHaveLength(1);
});
