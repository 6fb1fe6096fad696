import { expect, test } from "vitest";
import { leading, mate, say } from "../../support/team/scripted-team.ts";
import { teamSession, textOf } from "../../support/team/team-session.ts";

test("an own agent that hides a teammate of the same name names the way to the teammate", async () => {
  const team = await teamSession({
    stored: true,
    settings: { teams: { enabled: true } },
    answer: leading(
      [
        { calls: [mate("ann")] },
        { calls: [{ tool: "TeamCreate", input: { team_name: "crew" } }] },
        { calls: [mate("ann")] },
        { calls: [say("ann", "hello"), say("ann", { type: "shutdown_request" })] },
        { text: "over" },
      ],
      () => ({ text: "done" }),
    ),
  });
  await team.ask("go");
  const said = textOf(team.asked("lead").at(-1)?.request.messages ?? []);
  expect(said.match(/A teammate has the same name\. Reach it as ann@crew\./g)).toHaveLength(2);
});

test("names of own agents that differ only in case are one name", async () => {
  const team = await teamSession({
    answer: leading([{ calls: [mate("bob")] }, { calls: [mate("Bob")] }, { text: "over" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  expect(textOf(team.asked("lead").at(-1)?.request.messages ?? [])).toContain('The name \\"Bob\\" is taken.');
});
