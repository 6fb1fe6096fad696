import type { RunOutcome } from "../../session/index.ts";
import type { RepositoryState, TestRun } from "./sample-repository.ts";
import { tasks } from "./tasks.ts";

/** Undefined when the demo showed what it promises: red tests, a session that came to its end, all work landed and green. */
export function whatWentWrong(run: {
  readonly before: TestRun;
  readonly after: TestRun;
  readonly state: Pick<RepositoryState, "commits" | "leftOver">;
  readonly outcome: Pick<RunOutcome, "reason" | "detail"> | undefined;
}): string | undefined {
  const { before, after, outcome, state } = run;
  if (before.green) return "the tests of the sample repository passed before anything was done";
  if (outcome?.reason !== "completed") return `the session ended early: ${outcome?.detail ?? "no reason was given"}`;
  if (!after.green) return `the tests are not green at the end (${after.summary})`;
  if (state.commits.length !== tasks.length) return `${state.commits.length} commits landed, not ${tasks.length}`;
  return state.leftOver.length === 0 ? undefined : `not everything was removed: ${state.leftOver.join(", ")}`;
}
