import { expect, test } from "vitest";
import { agent, type TeamSession } from "../../support/team/team-session.ts";
import { alpha, bash, leading, mate, reportOf } from "../../support/team/scripted-team.ts";

const isMate = (path: string) => path.endsWith("@alpha");

/** Every agent below the lead that has sent a model request. */
const below = ({ model }: TeamSession) =>
  [...new Set(model.calls.map(({ ask }) => ask.agent))].filter((path) => path !== "lead");

const refusals = (team: TeamSession) =>
  team.model.calls.flatMap(({ ask }) => ask.results.filter(({ isError }) => isError).map(({ text }) => text));

test("promise 29: agent cap holds for teammates and their subagents together, and over a resume", async () => {
  const settings = { limits: { maxAgents: 5 } };
  const team = await alpha({
    settings,
    answer: leading([{ calls: ["a", "b", "c"].map((name) => mate(name)) }], ({ agent: path, turn }) =>
      isMate(path) && turn <= 3 ? { calls: [agent("more"), agent("more")] } : { text: "done" },
    ),
  });
  await team.ask("go");
  for (const name of ["a", "b", "c"]) await team.until(reportOf(name));
  expect(below(team)).toHaveLength(5);
  expect(refusals(team).every((text) => text.includes("has started 5 of at most 5 agents"))).toBe(true);
  await team.close();

  const again = await alpha({
    tree: team.tree,
    resume: team.session.id,
    answer: leading([{ calls: [mate("d"), agent("more")] }], () => ({ text: "done" })),
  });
  await again.ask("go on");
  expect(
    again
      .all("tool.settled", "lead")
      .slice(-2)
      .map(({ outcome }) => outcome),
  ).toEqual(["failed", "failed"]);
});

test("promise 29: agents of all teammates share the slots, and none waits for its own slot", async () => {
  let begun = 0;
  let now = 0;
  let most = 0;
  const queued = () => team.all("tool.progress").filter(({ text }) => text.startsWith("waiting for a slot")).length;
  const team = await alpha({
    settings: { limits: { maxConcurrentAgents: 2 } },
    answer: leading([{ calls: ["a", "b"].map((name) => mate(name)) }], async ({ agent: path, turn }) => {
      if (isMate(path))
        return turn === 1 ? { calls: Array.from({ length: 4 }, () => agent("more")) } : { text: "done" };
      begun += 1;
      now += 1;
      most = Math.max(most, now);
      // Until each of them has a slot or has been queued for one.
      await team.until(() => begun > 1 && begun + queued() >= 8);
      now -= 1;
      return { text: "done" };
    }),
  });
  await team.ask("go");
  for (const name of ["a", "b"]) await team.until(reportOf(name));
  expect(below(team)).toHaveLength(10);
  expect(most).toBe(2);
});

test("promise 29: with one slot a teammate runs its subagents in turn, also in the background", async () => {
  const team = await alpha({
    settings: { limits: { maxConcurrentAgents: 1 }, teams: { nestedTeams: true } },
    answer: leading([{ calls: [mate("a")] }], ({ agent: path, turn }) => {
      if (path !== "a@alpha") return { text: `${path} is done` };
      if (turn === 1) return { calls: [agent("more", { name: "one" }), agent("more", { run_in_background: true })] };
      if (turn === 2) return { calls: [{ tool: "SendMessage", input: { to: "one", message: "go on" } }, mate("b")] };
      return { text: "done" };
    }),
  });
  await team.ask("go");
  for (const name of ["a", "b"]) await team.until(reportOf(name));
  expect(refusals(team)).toEqual([]);
});

test("promise 29: teammate is at the lead's depth: its subagents start none", async () => {
  const team = await alpha({
    settings: { limits: { maxDepth: 1 } },
    answer: leading([{ calls: [mate("a")] }], ({ results }) =>
      results.length === 0 ? { calls: [agent("more")] } : { text: "done" },
    ),
  });
  await team.ask("go");
  await team.until(reportOf("a"));
  expect(below(team).map((path) => path.split("/").length)).toEqual([1, 2]);
  expect(refusals(team)).toEqual([expect.stringMatching(/you are at depth 1 and may not start agents/)]);
});

test.each([
  ["money", { maxBudgetUsd: 0.5 }],
  ["tokens", { maxTokens: 50_000 }],
])("promise 29: lead and teammates share one budget of %s", async (_, cap) => {
  const team = await alpha({
    settings: { models: { "scripted/script": { price: { input: 10, output: 10 } } } },
    flags: cap,
    answer: leading([{ calls: ["a", "b", "c"].map((name) => mate(name)) }], ({ turn }) => ({
      text: "more",
      calls: [bash(`echo ${turn}`), agent("more")],
    })),
  });
  await team.ask("go");
  for (const name of ["a", "b", "c"]) await team.until(reportOf(name));
  const spent = team.all("cost.recorded").map(({ costUsd, usage }) => {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    return "maxTokens" in cap ? inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens : costUsd;
  });
  const most = "maxTokens" in cap ? cap.maxTokens : cap.maxBudgetUsd;
  const sum = spent.reduce((all, each) => all + each, 0);
  expect(sum).toBeGreaterThan(most / 2);
  expect(sum).toBeLessThanOrEqual(most + Math.max(...spent));
});
