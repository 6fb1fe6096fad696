import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../team/team-session.ts";

test("promise 30: a result says what was done to get it, so that a report without evidence is seen as one", async () => {
  const team = await teamSession({
    answer: lead(
      [{ calls: [agent("a", { name: "honest" }), agent("b", { name: "boaster" })] }, { text: "over" }],
      (ask) =>
        ask.agent === "lead/honest" && ask.turn === 1
          ? {
              calls: [
                { tool: "Write", input: { file_path: "a.txt", content: "x\n" } },
                { tool: "Bash", input: { command: "cat a.txt; exit 4" } },
              ],
            }
          : { text: "All tests pass." },
    ),
  });
  await team.ask("go");
  const honest = resultOf(team, 1).text;
  expect(honest).toMatch(/2 tool calls/);
  expect(honest).toMatch(/a\.txt/);
  expect(honest).toMatch(/exit 4/);
  const boaster = resultOf(team, 2).text;
  expect(boaster).toMatch(/All tests pass\.[\s\S]*(no tool calls|0 tool calls|nothing)/i);
});
