import { type AskSideQuestion, historyQuestion, progressQuestion } from "../../agent/index.ts";
import { type Clock, sleepUnlessAborted } from "../../platform/index.ts";
import { cut, oneLine, type StoredEvent } from "../../protocol/index.ts";
import type { ActivityLog } from "./activity-log.ts";

export interface ActivitySummaryPorts {
  readonly activity: ActivityLog;
  readonly ask: AskSideQuestion;
  /** The agent's log. */
  readonly record: (event: StoredEvent) => Promise<void>;
}

export const progressEveryMs = 30_000;
/** A model that fails this often in a row is not asked again. */
const maxFailures = 3;

/**
 * Writes one progress line from time to time until `signal` aborts. Asks nothing while nothing has changed. Never
 * rejects: a failure here must not affect the agent.
 */
export async function summarizeProgress(
  { activity, ask, record, clock }: ActivitySummaryPorts & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  let seen = 0;
  let before: string | undefined;
  for (let failures = 0; failures < maxFailures; ) {
    if (!(await sleepUnlessAborted(clock, progressEveryMs, signal))) return;
    if (activity.count === seen) continue;
    seen = activity.count;
    const question = progressQuestion({ task: activity.task, before, activity: activity.lines(4_000) });
    const answer = await ask({ ...question, purpose: "summary", maxOutputTokens: 100 }, signal);
    const line = answer.ok ? cut(oneLine(answer.text), 160) : "";
    failures = line === "" ? failures + 1 : 0;
    if (line === "" || signal.aborted) continue;
    before = line;
    // The agent's own next record reports a log that cannot be written.
    await record({ type: "agent.summarized", scope: "progress", text: line }).catch(() => undefined);
  }
}

/** The number of turns after which a history summary is worth its cost. */
const historyEveryTurns = 12;

/** Writes a short history summary to the agent's log if it has done much since the last one. Never rejects. */
export function createHistoryKeeper({ activity, ask, record }: ActivitySummaryPorts) {
  let summarizedTurns = activity.before === undefined ? 0 : activity.turns;
  return async (why: "compacted" | "ended", signal: AbortSignal): Promise<void> => {
    if (why === "ended" && activity.turns - summarizedTurns < historyEveryTurns) return;
    const turnsNow = activity.turns;
    const { task, before } = activity;
    const question = historyQuestion({ task, before, activity: activity.lines(16_000) });
    const answer = await ask({ ...question, purpose: "summary", maxOutputTokens: 500 }, signal);
    const text = answer.ok ? answer.text.slice(0, 2_000).trim() : "";
    if (text === "") return;
    summarizedTurns = turnsNow;
    await record({ type: "agent.summarized", scope: "history", text }).catch(() => undefined);
  };
}
