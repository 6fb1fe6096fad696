import type { RunOutcome } from "../../session/index.ts";
import type { TestRun } from "./sample-repository.ts";

/** Undefined when the demo showed what it promises: a test that was red, a session that came to its end, a test that is green. */
export function whatWentWrong(run: {
  readonly before: TestRun;
  readonly after: TestRun;
  readonly outcome: Pick<RunOutcome, "reason" | "detail"> | undefined;
}): string | undefined {
  const { before, after, outcome } = run;
  if (before.green) return "the tests of the sample repository passed before anything was done";
  if (outcome?.reason !== "completed") return `the session ended early: ${outcome?.detail ?? "no reason was given"}`;
  return after.green ? undefined : `the tests are not green at the end (${after.summary})`;
}
