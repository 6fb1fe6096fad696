import { expect, test } from "vitest";
import type { AgentId, CallId, Event, EventId, SessionId } from "../../../src/protocol/index.ts";
import { createSpanFold } from "../../../src/session/telemetry/span-fold.ts";

const session = "ses_1" as SessionId;
const [lead, child] = ["agt_lead" as AgentId, "agt_child" as AgentId];
/** Models choose call ids freely: two agents may use the same one. */
const callId = "call_1" as CallId;

test("calls of two agents with one id are two spans, each with its own outcome and turn", () => {
  const fold = createSpanFold({ parentSpanId: undefined, content: false });
  let seq = 0;
  const tell = (agent: AgentId, event: Event) => {
    seq += 1;
    const at = new Date(1_790_000_000_000 + seq).toISOString();
    return fold({ v: 1, id: `evt_${seq}` as EventId, session, agent, seq, at, event });
  };
  const spawned = (path: string, more: object) =>
    ({
      type: "agent.spawned",
      path,
      agentType: "general",
      model: "scripted/a",
      permissionMode: "default",
      cwd: "/",
      ...more,
    }) as Event;
  const turn = { type: "turn.started", turn: 1, model: "scripted/a" } as const;
  const called = (name: string) => ({ type: "tool.called", callId, name, input: {}, title: name }) as Event;
  const settled = (outcome: "ok" | "failed") =>
    ({ type: "tool.settled", callId, outcome, content: [], durationMs: 1 }) satisfies Event;

  tell(lead, spawned("lead", {}));
  tell(lead, turn);
  tell(lead, called("Agent"));
  tell(child, spawned("lead/a", { parent: lead, callId }));
  tell(child, turn);
  tell(child, called("Read"));
  const [read] = tell(child, settled("failed"));
  const ended = tell(child, { type: "agent.stopped", outcome: "completed" });
  const [agent] = tell(lead, settled("ok"));

  expect(read).toMatchObject({ name: "execute_tool Read", error: "failed" });
  expect(agent).toMatchObject({ name: "execute_tool Agent", error: undefined });
  expect(read?.spanId).not.toBe(agent?.spanId);
  const run = ended.find(({ name }) => name === "invoke_agent lead/a");
  expect(run?.parentSpanId).toBe(agent?.spanId);
});
