import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../team/team-session.ts";

test("promise 18: an agent that makes no progress is noticed, and failed with what it has", async () => {
  const team = await teamSession({
    settings: { watchdog: { startMs: 1000, modelMs: 1000, toolMs: 1000 } },
    answer: lead([{ calls: [agent("work")] }, { text: "over" }], (ask) =>
      ask.turn === 1
        ? { text: "half of it", calls: [{ tool: "Bash", input: { command: "echo half" } }] }
        : { text: "x", fault: { kind: "hang" } },
    ),
  });
  await team.ask("go");
  const { text, outcome } = resultOf(team);
  expect(outcome).toBe("failed");
  expect(text).toMatch(/^The agent failed: no sign of life .*\n\nhalf of it[\s\S]*echo half/);
  const idle = team.all("agent.idle").filter(({ reason }) => reason !== "completed");
  expect(idle).toMatchObject([{ reason: "failed", detail: expect.stringMatching(/^no sign of life/) as string }]);
});
