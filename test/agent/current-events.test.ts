import { describe, expect, test } from "vitest";
import { createConversation } from "../../src/agent/conversation.ts";
import { currentEnvelopes, currentEvents } from "../../src/agent/current-events.ts";
import type { CallId, PromptId, StoredEnvelope, StoredEvent } from "../../src/protocol/index.ts";

const logOf = (events: readonly StoredEvent[]): StoredEnvelope[] =>
  events.map((event, at) => ({ seq: at + 1, event }) as StoredEnvelope);
const fold = (events: readonly StoredEvent[]) => {
  const log = logOf(events);
  const conversation = createConversation(undefined, (to) => currentEvents(log, to));
  for (const event of events) conversation.apply(event);
  return conversation;
};
const admitted = (n: number, source: "user" | "mail" = "user"): StoredEvent => ({
  type: "prompt.admitted",
  promptId: `prm_0000000${n}` as PromptId,
  source,
  parts: [{ type: "text", text: `prompt ${n}` }],
});
const promoted = (n: number): StoredEvent => ({ type: "prompt.promoted", promptId: `prm_0000000${n}` as PromptId });
const answer = (turn: number): StoredEvent[] => [
  { type: "turn.started", turn, model: "scripted/x" },
  {
    type: "turn.ended",
    turn,
    parts: [{ type: "tool_call", callId: `call_${turn}` as CallId, name: "Read", input: {} }],
    stopReason: "tool_use",
    contextTokens: 100,
    durationMs: 1,
  },
  {
    type: "tool.settled",
    callId: `call_${turn}` as CallId,
    durationMs: 1,
    outcome: "ok",
    content: [{ type: "text", text: `result ${turn}` }],
  },
];
const rewound = (to: number): StoredEvent => ({ type: "agent.rewound", point: "prm_1", to, text: "" });
const exchange = (n: number): StoredEvent[] => [admitted(n), promoted(n), ...answer(n)];

describe("rewound log", () => {
  const before = [...exchange(1), ...exchange(2)];

  test("the conversation is that of the earlier moment, and forward that of the moment before the rewind", () => {
    expect(fold([...before, rewound(5)]).messages()).toEqual(fold(exchange(1)).messages());
    expect(fold([...before, rewound(5), ...exchange(3), rewound(10)]).messages()).toEqual(fold(before).messages());
    const seqs = currentEnvelopes(logOf([...before, rewound(5), ...exchange(3)])).map(({ seq }) => seq);
    expect(seqs).toEqual([1, 2, 3, 4, 5, 12, 13, 14, 15, 16]);
  });

  test("a rewind of files alone changes nothing in the conversation", () => {
    const onlyFiles: StoredEvent = { type: "agent.rewound", point: "prm_1", text: "" };
    expect(fold([...before, onlyFiles]).messages()).toEqual(fold(before).messages());
  });

  test("turns, calls and prompts keep their numbers and ids, and the system prompt in force stays", () => {
    const system: StoredEvent = { type: "context.composed", system: ["new"] };
    const conversation = fold([{ type: "context.composed", system: ["old"] }, ...before, system, rewound(6)]);
    expect(conversation.turn).toBe(2);
    expect(conversation.mayHaveCall("call_2" as CallId)).toBe(true);
    expect(conversation.seenPrompt("prm_00000002" as PromptId)).not.toBe("no");
    expect(conversation.system).toEqual(["new"]);
  });

  test("a compaction after the moment is undone, one before it stays", () => {
    const compacted: StoredEvent = {
      type: "context.compacted",
      trigger: "asked",
      summary: "a summary",
      keptFromTurn: null,
      tokensBefore: 1,
    };
    expect(fold([...before, compacted, rewound(10)]).messages()).toEqual(fold(before).messages());
    const early = [...exchange(1), compacted, ...exchange(2)];
    expect(fold([...early, rewound(6)]).messages()).toEqual(fold([...exchange(1), compacted]).messages());
  });

  test("prompts of the user do not wait any more, mail does", () => {
    const waiting = [...exchange(1), admitted(2), admitted(3, "mail"), admitted(4), promoted(2), ...answer(2)];
    expect(fold([...waiting, admitted(5, "mail"), rewound(8)]).waiting).toEqual(["prm_00000003", "prm_00000005"]);
  });

  test("a log without its earlier events cannot be rewound", () => {
    const conversation = createConversation();
    expect(() => conversation.apply(rewound(1))).toThrow("its log was not given");
    expect(() => currentEnvelopes(logOf([rewound(0)]), 3)).toThrow("event 3 is not in the log");
  });
});
