import { expect, test } from "vitest";
import { harness, step } from "../support/agent/agent-harness.ts";

const asksAgain = "Your answer was empty. Go on, or say what you did and what came of it.";

test("an empty answer after results is asked for once more", async () => {
  const { run, agent, model } = harness({
    script: { version: 1, steps: [step("", ["Echo", "a"]), {}, { text: "I echoed a." }] },
  });
  await run("go");
  expect(model.calls.at(-1)?.ask.said).toBe(`<troupe-notice>\n${asksAgain}\n</troupe-notice>`);
  expect(model.calls).toHaveLength(3);
  expect(await agent.settled()).toEqual({ reason: "completed", turns: 3 });
});

test("a second empty answer in a row is the end", async () => {
  const { run, agent, model } = harness({ script: { version: 1, steps: [step("", ["Echo", "a"]), {}, {}] } });
  await run("go");
  expect(model.calls).toHaveLength(3);
  expect(await agent.settled()).toMatchObject({ detail: "the model ended its turn without text" });
});

test("an empty answer to a prompt is not asked for again", async () => {
  const { run, model } = harness({ script: { version: 1, steps: [{}] } });
  await run("go");
  expect(model.calls).toHaveLength(1);
});
