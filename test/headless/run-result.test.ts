import { expect, test } from "vitest";
import { createRunResult, exitCodeOf } from "../../src/headless/run-result.ts";
import type { AgentId, CallId, Envelope, Event, SessionId } from "../../src/protocol/index.ts";

const sessionId = "ses_1" as SessionId;
const lead = "agt_lead" as AgentId;

/** A call of this agent that is refused. */
const denied = (agent: string, name: string): Envelope[] => {
  const callId = `call_${agent}_${name}` as CallId;
  const events = [
    { type: "turn.ended", parts: [{ type: "tool_call", callId, name, input: {} }] },
    { type: "tool.settled", callId, outcome: "denied", content: [] },
  ] as unknown as Event[];
  return events.map((event) => ({ session: sessionId, agent, event }) as unknown as Envelope);
};

test("the plan of a teammate that the lead sends back is not a denied permission", () => {
  const result = createRunResult({ sessionId, startedAt: 0, now: () => 1 });
  const envelopes = [lead, "agt_mate"].flatMap((agent) => [...denied(agent, "ExitPlanMode"), ...denied(agent, "Bash")]);
  for (const envelope of envelopes) result.add(envelope);
  const { permission_denials: denials } = result.finish({
    outcome: undefined,
    problem: undefined,
    interrupted: false,
    openWork: { tasks: [], runningMembers: [], worktrees: [] },
  });
  expect(denials.map(({ tool_use_id: id }) => id)).toEqual([
    "call_agt_lead_ExitPlanMode",
    "call_agt_lead_Bash",
    "call_agt_mate_Bash",
  ]);
});

test.each([
  ["max_tokens", "half an", "the answer is cut off: the model reached its limit of output tokens"],
  ["refusal", "I will not", "the model refused to answer"],
  ["end_turn", " ", "the model gave no answer"],
  ["end_turn", "all of it", undefined],
])("answer that ends with %s and says %j has the error %j", (stopReason, text, error) => {
  const result = createRunResult({ sessionId, startedAt: 0, now: () => 1 });
  const event = { type: "turn.ended", stopReason, parts: [{ type: "text", text }] } as unknown as Event;
  result.add({ session: sessionId, agent: lead, event } as unknown as Envelope);
  const finished = result.finish({
    outcome: undefined,
    problem: undefined,
    interrupted: false,
    openWork: { tasks: [], runningMembers: [], worktrees: [] },
  });
  expect(finished).toMatchObject({ is_error: error !== undefined, subtype: "success" });
  expect(finished.error).toBe(error);
  expect(exitCodeOf(finished)).toBe(error === undefined ? 0 : 1);
});
