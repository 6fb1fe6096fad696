import { expect, test } from "vitest";
import { createRunResult } from "../../src/headless/run-result.ts";
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
