import { expect, test } from "vitest";
import { alpha, leading, mate } from "../../support/team/scripted-team.ts";

const check = { command: "node --test" };
const create = { tool: "TaskCreate", input: { subject: "Fix it", description: "all of it", acceptance: [check] } };

test("reader that creates a task for others does not judge its checks by its own rules", async () => {
  const results: string[] = [];
  const team = await alpha({
    answer: leading([{ calls: [mate("rev", "look", { subagent_type: "reviewer" })] }, { text: "waiting" }], (ask) => {
      if (ask.turn === 1) return { calls: [create] };
      results.push(ask.result?.text ?? "");
      return { text: "looked" };
    }),
  });
  await team.ask("go");
  await team.until(() => results.length > 0);
  expect(results[0]).toMatch(/^Task #1 created\./);
  expect(results[0]).not.toContain("cannot be run");
});
