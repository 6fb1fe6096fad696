import { expect, test } from "vitest";
import { seenBefore } from "../../../src/team/lead/seen-before.ts";

const promptId = "prm_1" as never;
const seen = (types: readonly string[], waiting: readonly never[] = []) =>
  seenBefore(promptId, { replayed: types.map((type) => ({ event: { type, promptId } }) as never), waiting });

test("a prompt of previous runs is not read, read, or had a turn", () => {
  expect(seen(["turn.ended"])).toBe("not_read");
  expect(seen(["turn.ended", "prompt.admitted"], [promptId])).toBe("not_read");
  expect(seen(["prompt.admitted", "prompt.promoted", "turn.started"])).toBe("read");
  expect(seen(["prompt.admitted", "prompt.promoted", "turn.ended"])).toBe("had_turn");
});

test("a prompt of a previous run that no longer waits was read in this run", () => {
  expect(seen(["prompt.admitted", "turn.ended"])).toBe("read");
});
