import { expect, test } from "vitest";
import { alpha, bash, inState, leading, mate, membersOf, report } from "../../support/team/scripted-team.ts";

const scouts = (nestedTeams: boolean, more: object = {}) =>
  alpha({
    settings: { teams: { nestedTeams } },
    answer: leading([{ calls: [mate("scout", "work", more)] }], ({ agent, results }) => {
      if (agent !== "scout@alpha") return { text: `${agent} is here` };
      return results.length > 0
        ? { text: `came to: ${results.map(({ text }) => text).join()}` }
        : { calls: [mate("helper", "help me", { mode: "bypassPermissions" })] };
    }),
  });

test("with nestedTeams a teammate starts a teammate in its team, and both report to the lead", async () => {
  const team = await scouts(true, { mode: "acceptEdits" });
  await team.ask("go");
  await team.until(report(/came to: [\s\S]*Teammate helper \(helper@alpha\) has started in team alpha/));
  await team.until(report(/helper@alpha is here/));
  const members = await membersOf(team.tree);
  // It has no more rights than the member that requested it.
  expect(members.map(({ name, mode, startedBy }) => [name, mode, startedBy?.slice(0, 5)])).toEqual([
    ["scout", "acceptEdits", "agt_0"],
    ["helper", "acceptEdits", "scout"],
  ]);
  await inState(team, "helper", "idle");
});

test("without nestedTeams a teammate starts subagents but no teammates", async () => {
  const team = await scouts(false);
  await team.ask("go");
  await team.until(report(/came to: [\s\S]*is here/));
  expect((await membersOf(team.tree)).map(({ name }) => name)).toEqual(["scout"]);
});

test("member in plan mode cannot start a teammate with more rights", async () => {
  const team = await alpha({
    settings: { teams: { nestedTeams: true } },
    answer: leading([{ calls: [mate("scout", "work", { plan_mode_required: true })] }], ({ agent, results }) => {
      if (results.length > 0) return { text: `${agent} came to: ${results.map(({ text }) => text).join()}` };
      return agent === "scout@alpha" ? { calls: [mate("helper")] } : { calls: [bash("touch too-early")] };
    }),
  });
  await team.ask("go");
  const { event } = await team.until(report(/helper@alpha came to/));
  expect(JSON.stringify(event)).toMatch(/plan mode/i);
});
