import { expect, test } from "vitest";
import { nextState, type SubagentState } from "../../../src/team/subagents/subagent-state.ts";

const lending = { lend: async () => async () => undefined };
const working: SubagentState = { kind: "working", lending };
const stopped = { status: "stopped", reason: "it was stopped" } as const;

test("subagent works, reports, finishes its worktree, and is idle again", () => {
  const run = nextState({ kind: "idle" }, { do: "run", lending });
  const reported = nextState(run, { do: "report" });
  expect([run, reported, nextState(reported, { do: "rest" })]).toEqual([
    { kind: "working", lending },
    { kind: "finishing" },
    { kind: "idle" },
  ]);
});

test("only an idle subagent runs", () => {
  for (const state of [working, { kind: "finishing" }, { kind: "closed" }] as const)
    expect(() => nextState(state, { do: "run", lending })).toThrow(`it is ${state.kind}`);
});

test("the first reason to end a run counts, and only during the run", () => {
  const ended = nextState(working, { do: "end", end: stopped });
  const again = nextState(ended, { do: "end", end: { status: "failed", reason: "no sign of life" } });
  expect(again).toEqual({ ...working, end: stopped });
  for (const state of [{ kind: "idle" }, { kind: "finishing" }, { kind: "closed" }] as const)
    expect(nextState(state, { do: "end", end: stopped })).toBe(state);
});

test("a closed subagent stays closed when its last run ends", () => {
  const closed = nextState(working, { do: "close" });
  for (const step of ["report", "rest"] as const) expect(nextState(closed, { do: step })).toEqual({ kind: "closed" });
});
