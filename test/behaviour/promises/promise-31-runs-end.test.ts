import { expect, test } from "vitest";
import { alpha, leading, mate } from "../../support/team/scripted-team.ts";

/** A task that no member can do. */
const impossible = { tool: "TaskCreate", input: { subject: "fly", description: "d", needs: ["Wings"] } };

test("promise 31: lead is woken once for open tasks of an idle team, and told that its next answer counts", async () => {
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout"), impossible] }, { text: "waiting" }, { text: "Done, except for #1." }],
      () => ({ text: "looked around" }),
    ),
  });
  await team.ask("go");
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event).includes("except for #1"));
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.session.settled();
  expect(team.asked("lead")).toHaveLength(3);
  const { said = "" } = team.asked("lead").at(-1) ?? {};
  expect(said).toContain("No teammate is working now.");
  expect(said).toContain("#1 [pending] fly");
  expect(said).toContain("your next answer is what the user gets");
});
