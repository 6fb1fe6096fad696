import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createConversation } from "../../src/agent/conversation.ts";
import type { CallId, Message, PromptId, StoredEvent } from "../../src/protocol/index.ts";

const fold = (events: readonly StoredEvent[]) => {
  const conversation = createConversation();
  for (const event of events) conversation.apply(event);
  return conversation;
};

const prompt = (n: number, text = `prompt ${n}`): StoredEvent[] => [
  { type: "prompt.admitted", promptId: `prm_0000000${n}` as PromptId, source: "user", parts: [{ type: "text", text }] },
  { type: "prompt.promoted", promptId: `prm_0000000${n}` as PromptId },
];
const call = (id: string, name = "Read") => ({ type: "tool_call" as const, callId: id as CallId, name, input: {} });
const answered = (turn: number, text: string, ...ids: string[]): StoredEvent[] => [
  { type: "turn.started", turn, model: "scripted/x" },
  {
    type: "turn.ended",
    turn,
    parts: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...ids.map((id) => call(id))],
    stopReason: ids.length > 0 ? "tool_use" : "end_turn",
    contextTokens: 100 * turn,
    durationMs: 1,
  },
];
const settled = (id: string, text = `result ${id}`): StoredEvent => ({
  type: "tool.settled",
  callId: id as CallId,
  durationMs: 1,
  outcome: "ok",
  content: [{ type: "text", text }],
});
const called = (id: string, turn = 1): StoredEvent => ({
  type: "tool.called",
  turn,
  callId: id as CallId,
  name: "Read",
  input: {},
  title: "Read",
});
const compacted = (summary: string, keptFromTurn: number | null): StoredEvent => ({
  type: "context.compacted",
  trigger: "asked",
  summary,
  keptFromTurn,
  tokensBefore: 1,
});

const brief = (messages: readonly Message[]) =>
  messages.map((message) => [
    message.role,
    ...message.parts.map((part) => {
      if (part.type === "text") return part.text.startsWith("<conversation-summary>") ? "summary" : part.text;
      if (part.type === "tool_call") return `call ${part.callId}`;
      if (part.type === "tool_result") return `result of ${part.callId}`;
      return part.type;
    }),
  ]);

describe("conversation folded from the log", () => {
  test("results come first, in call order, whatever order they settled in; then the prompts", () => {
    const conversation = fold([
      ...prompt(1),
      ...answered(1, "look", "a", "b"),
      settled("b"),
      ...prompt(2, "in between"),
      settled("a"),
    ]);
    expect(brief(conversation.messages())).toEqual([
      ["user", "prompt 1"],
      ["assistant", "look", "call a", "call b"],
      ["user", "result of a", "result of b", "in between"],
    ]);
    expect(conversation.awaitsAnswer).toBe(true);
  });

  test("an admitted prompt that is not promoted waits outside the conversation", () => {
    const [admitted] = prompt(1) as [StoredEvent, StoredEvent];
    const conversation = fold([admitted]);
    expect(conversation.waiting).toEqual(["prm_00000001"]);
    expect(conversation.messages()).toEqual([]);
    expect(conversation.awaitsAnswer).toBe(false);
  });

  test("a turn without an end leaves nothing in the conversation", () => {
    const conversation = fold([...prompt(1), { type: "turn.started", turn: 1, model: "m" }]);
    expect(brief(conversation.messages())).toEqual([["user", "prompt 1"]]);
    expect(conversation.turn).toBe(1);
  });

  test("the model learns of an interrupted turn with the next prompt", () => {
    const conversation = fold([
      ...prompt(1),
      { type: "turn.started", turn: 1, model: "m" },
      { type: "turn.failed", turn: 1, failure: { kind: "aborted", message: "interrupted" } },
      ...prompt(2),
    ]);
    const [message] = conversation.messages();
    expect(message?.parts).toHaveLength(3);
    expect(message?.parts[1]).toMatchObject({ text: expect.stringContaining("interrupted") });
  });

  test("an empty answer adds no message, and the prompt stays unanswered", () => {
    const conversation = fold([...prompt(1), ...answered(1, ""), ...prompt(2)]);
    expect(brief(conversation.messages())).toEqual([["user", "prompt 1", "prompt 2"]]);
  });

  test("open calls tell whether they were started", () => {
    const conversation = fold([
      ...prompt(1),
      ...answered(1, "go", "a", "b", "c"),
      called("a"),
      settled("a"),
      called("b"),
    ]);
    expect(conversation.openCalls().map((open) => [open.call.callId, open.started])).toEqual([
      ["b", true],
      ["c", false],
    ]);
  });

  test("compaction keeps each call with its result and starts with the user", () => {
    const events = [...prompt(1), ...answered(1, "one", "a"), settled("a"), ...answered(2, "two", "b"), settled("b")];
    expect(brief(fold([...events, compacted("S", 2)]).messages())).toEqual([
      ["user", "summary"],
      ["assistant", "two", "call b"],
      ["user", "result of b"],
    ]);
  });

  test("compaction of everything keeps unanswered messages", () => {
    const events = [...prompt(1), ...answered(1, "one"), ...prompt(2)];
    expect(brief(fold([...events, compacted("S", null)]).messages())).toEqual([["user", "summary", "prompt 2"]]);
  });

  test("compaction that keeps a missing turn throws instead of giving an empty conversation", () => {
    expect(() => fold([...prompt(1), ...answered(1, "one"), compacted("S", 9)])).toThrow(/turn 9/);
  });
});

/** Random valid logs: prompts at any time, answers with calls, calls settled in any order. */
const logs = fc
  .array(fc.record({ calls: fc.integer({ min: 0, max: 3 }), prompts: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 12,
  })
  .map((turns) => {
    let n = 0;
    let id = 0;
    return turns.flatMap(({ calls, prompts }, index) => {
      const ids = Array.from({ length: calls }, () => `c${id++}`);
      const said = Array.from({ length: prompts + (index === 0 ? 1 : 0) }, () => prompt(++n % 10, `p${n}`)).flat();
      return [
        ...said,
        ...answered(index + 1, `answer ${index}`, ...ids),
        ...ids.toReversed().map((call) => settled(call)),
      ];
    });
  });

test("any log prefix folds to alternating messages that answer each settled call once", () => {
  fc.assert(
    fc.property(logs, fc.nat(), (events, at) => {
      const conversation = fold(events.slice(0, at % (events.length + 1)));
      const messages = conversation.messages();
      messages.forEach((message, index) => {
        const before = messages[index - 1];
        if (index === 0) expect(message.role).toBe("user");
        else expect(message.role === "assistant" || before?.role === "assistant").toBe(true);
      });
      const results = messages.flatMap((message) =>
        message.parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])),
      );
      expect(new Set(results).size).toBe(results.length);
    }),
  );
});
