import { expect, test } from "vitest";
import { agentNotification } from "../../../../src/agent/index.ts";

const notification = (prompt: string) =>
  agentNotification(undefined, prompt, {
    agentId: "agt_1",
    description: "work",
    status: "completed",
    text: "done",
    evidence: "",
    usage: { tokens: 0, toolCalls: 0, durationMs: 0 },
  });

test("a note about a cut is never longer than the text that it replaces", () => {
  expect(notification("x".repeat(401))).toContain(`<prompt>${"x".repeat(401)}</prompt>`);
  expect(notification("x".repeat(422))).toContain("x".repeat(422));
  expect(notification("x".repeat(500))).toContain(`<prompt>${"x".repeat(400)} [… 100 characters cut]</prompt>`);
});
