import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRepetitionDetector, type Repetition, type RepetitionDetectorOptions } from "../../../src/team/index.ts";
import { callId, prompted } from "../../support/view/sample-envelopes.ts";

type Call = readonly [tool: string, input: unknown, result: string];

/** Plays turns of calls and returns the message after each turn. */
function player(options?: RepetitionDetectorOptions) {
  const watch = createRepetitionDetector(options);
  let count = 0;
  const turn = (...calls: Call[]): Repetition | undefined => {
    const parts = calls.map(([name, input]) => ({
      type: "tool_call" as const,
      callId: callId(`c${++count}`),
      name,
      input,
    }));
    watch.observe({ type: "turn.ended", turn: count, parts, stopReason: "tool_use", contextTokens: 1, durationMs: 1 });
    const said = parts.map(({ callId: id }, index) => {
      const content = [{ type: "text" as const, text: calls[index]?.[2] ?? "" }];
      return watch.observe({ type: "tool.settled", callId: id, durationMs: count, outcome: "ok", content });
    });
    return said.find((word) => word !== undefined);
  };
  return {
    watch,
    turn,
    times: (count: number, ...calls: Call[]) => Array.from({ length: count }, () => turn(...calls)),
  };
}

const test1: Call = ["Bash", { command: "npm test", timeout: 5 }, "1 failed"];
const kinds = (said: (Repetition | undefined)[]) => said.map((word) => word?.kind);

test("the same call with the same result: a warning, later a verdict, each once", () => {
  const { times } = player();
  const said = times(10, test1);
  expect(kinds(said)).toEqual([...Array(3), "warning", ...Array(3), "verdict", undefined, undefined]);
  expect(said[3]).toMatchInlineSnapshot(`
    {
      "calls": [
        "Bash {"command":"npm test","timeout":5}",
      ],
      "kind": "warning",
      "message": "You have made the same calls 4 times in a row with the same results:
    - Bash {"command":"npm test","timeout":5}
    Repeating them gives nothing new. Try another way, or finish with what you have and say what blocks you. If you continue like this, you will be stopped.",
      "times": 4,
    }
  `);
  expect(said[7]?.message).toMatchInlineSnapshot(`
    "it made the same calls 8 times in a row with the same results, even after a warning:
    - Bash {"command":"npm test","timeout":5}"
  `);
});

test("another result is progress, and so is another input", () => {
  const { turn } = player();
  const said = Array.from({ length: 20 }, (_, index) => turn(["Bash", { command: "make" }, `line ${index}`]));
  said.push(...Array.from({ length: 20 }, (_, index) => turn(["Read", { file_path: "a", offset: index }, "x"])));
  expect(kinds(said).filter(Boolean)).toEqual([]);
});

test("neither key order nor the order in which calls of one turn end matters", () => {
  const { turn } = player({ warnAt: 3 });
  turn(["Read", { a: 1, b: { c: 2, d: 3 } }, "x"], ["Read", { z: 1 }, "y"]);
  turn(["Read", { z: 1 }, "y"], ["Read", { b: { d: 3, c: 2 }, a: 1 }, "x"]);
  expect(turn(["Read", { a: 1, b: { c: 2, d: 3 } }, "x"], ["Read", { z: 1 }, "y"])?.kind).toBe("warning");
});

test("a short cycle of calls is a repetition too", () => {
  const { turn } = player();
  const edit: Call = ["Edit", { old_string: "a", new_string: "b" }, "not found"];
  const read: Call = ["Read", { file_path: "a" }, "text"];
  const said = Array.from({ length: 8 }, () => [turn(read), turn(edit)]).flat();
  expect(kinds(said).filter(Boolean)).toEqual(["warning", "verdict"]);
  expect(said[7]).toMatchObject({
    kind: "warning",
    times: 4,
    calls: [expect.stringMatching(/^Read/), expect.stringMatching(/^Edit/)],
  });
});

test("polling a running job with TaskOutput is not a repetition", () => {
  const { times } = player();
  const poll: Call = ["TaskOutput", { id: "bg_1" }, "still running"];
  expect(kinds(times(39, poll)).filter(Boolean)).toEqual([]);
  expect(kinds(times(1, poll))).toEqual(["warning"]);
});

test("other work in between allows a new warning, and a new prompt resets the count", () => {
  const { turn, times, watch } = player();
  expect(kinds(times(4, test1)).at(-1)).toBe("warning");
  turn(["Read", { file_path: "b" }, "x"]);
  expect(kinds(times(4, test1)).at(-1)).toBe("warning");
  for (const event of prompted(1, "run the tests again")) watch.observe(event);
  expect(kinds(times(3, test1)).filter(Boolean)).toEqual([]);
});

test("a warning delivered as hook output does not reset the count", () => {
  const { times, watch } = player();
  expect(kinds(times(4, test1)).at(-1)).toBe("warning");
  for (const event of prompted(1, "You have made the same calls")) {
    watch.observe(event.type === "prompt.admitted" ? { ...event, source: "hook" } : event);
  }
  expect(kinds(times(4, test1)).at(-1)).toBe("verdict");
});

test("turns that always differ are never a cycle, and any cycle of up to four is found", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { maxLength: 20 }),
      fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }),
      (before, round) => {
        const { turn } = player();
        const said = before.map((text, index) => turn(["Read", { file_path: `${index} ${text}` }, "x"]));
        expect(kinds(said).filter(Boolean)).toEqual([]);
        const loop = Array.from({ length: 8 }, () =>
          round.map((text) => turn(["Bash", { command: text }, "x"])),
        ).flat();
        expect(kinds(loop).filter(Boolean)).toEqual(["warning", "verdict"]);
      },
    ),
    { numRuns: 100 },
  );
});
