import type { SlotLending } from "../limits/lend-slot.ts";

/** The state of a subagent. `finishing`: it has reported, and its worktree is being kept or removed. */
export type SubagentState =
  | { readonly kind: "idle" }
  | { readonly kind: "working"; readonly lending: SlotLending; readonly end?: RunEnd }
  | { readonly kind: "finishing" }
  | { readonly kind: "closed" };

/** Why a run ends before the agent is done. */
export interface RunEnd {
  readonly status: "stopped" | "failed";
  readonly reason: string;
}

export type SubagentStep =
  | { readonly do: "run"; readonly lending: SlotLending }
  | { readonly do: "end"; readonly end: RunEnd }
  | { readonly do: "report" | "rest" | "close" };

/** Returns the state after a step. Throws if the agent runs already or is closed. */
export function nextState(state: SubagentState, step: SubagentStep): SubagentState {
  switch (step.do) {
    case "run":
      if (state.kind !== "idle") throw new Error(`cannot run a subagent twice: it is ${state.kind}`);
      return { kind: "working", lending: step.lending };
    case "end":
      // The first reason counts. Without a run there is nothing to end.
      return state.kind === "working" && !state.end ? { ...state, end: step.end } : state;
    case "report":
      return state.kind === "working" ? { kind: "finishing" } : state;
    case "rest":
      return state.kind === "closed" ? state : { kind: "idle" };
    case "close":
      return { kind: "closed" };
  }
}
