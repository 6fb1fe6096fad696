import { expect, test } from "vitest";
import { alpha, inState, leading, mate } from "../../support/team/scripted-team.ts";
import { agent, resultOf, teamSession, textOf } from "../../support/team/team-session.ts";

test("a mode wider than the caller's is answered with the mode that holds", async () => {
  const team = await teamSession({
    flags: { permissionMode: "default" },
    answer: leading([{ calls: [agent("go", { name: "a", mode: "bypassPermissions" })] }, { text: "over" }], () => ({
      text: "done",
    })),
  });
  await team.ask("go");
  expect(resultOf(team).text).toContain(
    "Note: It works in default, not in bypassPermissions: it cannot have more rights than you.",
  );
  const schema = JSON.stringify(team.asked("lead")[0]?.request.tools.find(({ name }) => name === "Agent")?.inputSchema);
  expect(schema).toContain("acceptEdits");
  expect(schema).not.toContain("bypassPermissions");
});

test("an unknown team, a missing name and a taken name are answered", async () => {
  const calls = [
    mate("ann", "work", { team_name: "nope" }),
    { tool: "Agent", input: { description: "d", prompt: "p", team_name: "alpha" } },
    { tool: "Agent", input: { description: "d", prompt: "p", plan_mode_required: true } },
    mate("lead"),
    mate("ann"),
    mate("ann"),
    mate("rev", "work", { subagent_type: "reviewer", plan_mode_required: true }),
  ];
  const team = await alpha({
    answer: leading([{ calls }, { text: "waiting" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  await inState(team, "ann-2", "idle");
  const said = textOf(team.asked("lead")[1]?.request.messages ?? []);
  expect(said).toContain('There is no team \\"nope\\". Your team is alpha. Nothing was started.');
  expect(said).toContain("A teammate of alpha needs a name. Nothing was started.");
  expect(said).toContain("Only a teammate can be made to plan first. Add a name");
  expect(said).toContain(
    '\\"lead\\" cannot be the name of a member: this name, or one that looks like it, is reserved.',
  );
  expect(said).toContain("ann is in the team already, so this one is ann-2. To give ann more work, use SendMessage.");
  expect(said).toContain("plan_mode_required has no effect: reviewer only reads");
  expect(said).toMatch(/Teammate rev .*It only reads, in [^:]+: there is nothing to land\./);
});

test("types that help the user with Troupe itself are listed only for a lead with a user", async () => {
  const listed = async (asker: "reply" | "nobody") => {
    const team = await teamSession({
      more: { asker },
      answer: leading([{ calls: [agent("go", { name: "a" })] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    return ["lead", "lead/a"].map(
      (path) => team.asked(path)[0]?.request.tools.find(({ name }) => name === "Agent")?.description ?? "",
    );
  };
  const [attended, below] = await listed("reply");
  expect(attended).toMatch(/- guide:[\s\S]+- statusline-setup:/);
  expect(attended).toContain(
    "- reviewer: Reviews a change with fresh eyes and reports what is wrong with it, worst first. Changes nothing. (only reads, runs no tests or programs; tools: ",
  );
  expect(below).not.toMatch(/- guide:|- statusline-setup:/);
  for (const text of await listed("nobody")) expect(text).not.toMatch(/- guide:|- statusline-setup:/);
});
