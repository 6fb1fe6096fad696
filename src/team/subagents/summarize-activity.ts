import { type AskSideQuestion, historyQuestion, progressQuestion } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import type { StoredEvent } from "../../protocol/index.ts";
import type { ActivityLog } from "./activity-log.ts";

export interface ActivitySummaryPorts {
  readonly activity: ActivityLog;
  readonly ask: AskSideQuestion;
  /** The agent's own log. */
  readonly record: (event: StoredEvent) => Promise<void>;
}

export const progressEveryMs = 30_000;
/** A model that does not answer is not asked for ever. */
const maxFailures = 3;

/**
 * One line on what an agent is doing, now and then, until `signal` aborts. Nothing is asked while nothing has happened.
 * Never rejects: what goes wrong here is no trouble of the agent's.
 */
export async function summarizeProgress(
  { activity, ask, record, clock }: ActivitySummaryPorts & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  let seen = 0;
  let before: string | undefined;
  for (let failures = 0; failures < maxFailures; ) {
    if (!(await sleepUntilNext(clock, signal))) return;
    if (activity.count === seen) continue;
    seen = activity.count;
    const question = progressQuestion({ task: activity.task, before, activity: activity.lines(4_000) });
    const answer = await ask({ ...question, purpose: "summary", maxOutputTokens: 100 }, signal);
    const line = answer.ok ? oneLine(answer.text) : "";
    failures = line === "" ? failures + 1 : 0;
    if (line === "" || signal.aborted) continue;
    before = line;
    // A log that cannot be written to is met by the agent's own next record, which tells.
    await record({ type: "agent.summarized", scope: "progress", text: line }).catch(() => undefined);
  }
}

/** From so many turns on an agent's history is worth an account of its own. */
const historyEveryTurns = 12;

/** Keeps what an agent has done in a few sentences in its log, if it has done much since the last time. Never rejects. */
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

async function sleepUntilNext(clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(progressEveryMs, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

const oneLine = (text: string) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
};
