import type { Envelope, MailBody } from "../../protocol/index.ts";
import { evidenceText } from "../evidence/evidence-text.ts";
import { evidenceFromTotals } from "../evidence/evidence-totals.ts";
import type { UnreportedResult } from "./unreported-work.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;
type ReportBody = Extract<MailBody, { kind: "idle_notification" }>;

/**
 * The report to the lead when a teammate becomes idle: its result and the evidence for it. Undefined if there is
 * nothing new.
 */
export function idleReportBody(report: UnreportedResult, { reason, detail }: Idle): ReportBody | undefined {
  // It was woken and had nothing to do, so it is as idle as last reported.
  if (!report.hasWorked && reason === "completed" && report.answers.length === 0) return undefined;
  const idleReason = reason === "completed" ? "available" : reason === "interrupted" ? "interrupted" : "failed";
  const result = resultOf(report, { isUnfinished: idleReason !== "available" });
  return {
    kind: "idle_notification",
    idleReason,
    ...outcomeOf(report, result),
    ...(report.hasWorked && evidenceOf(report, { hasReport: result !== undefined })),
    ...(report.evidenceTotals.toolCalls.size === 0 && { didNothing: true as const }),
    ...(idleReason === "failed" && detail !== undefined && { failureReason: detail }),
  };
}

/** The report of a teammate that has agreed to end. Undefined if there is nothing to report. */
export function farewellReportBody(report: UnreportedResult): ReportBody | undefined {
  const result = resultOf(report, { isUnfinished: true });
  if (result === undefined && report.completed === undefined) return undefined;
  // If everything was reported before, the text is only about the end and needs no evidence. The answer is one call.
  const calls = [...report.evidenceTotals.toolCalls.values()].reduce((sum, count) => sum + count, 0);
  const didWork = report.answers.length > 0 || calls > 1;
  return {
    kind: "idle_notification",
    idleReason: "available",
    isLeaving: true,
    ...outcomeOf(report, result),
    ...(didWork && evidenceOf(report)),
  };
}

/**
 * Without an answer, the last text of the run is used. Answers before the last one were not reported yet: a hook, a
 * reminder or mail came first. They follow the last one, which is the answer of a finished run.
 */
function resultOf(
  { answers, lastText: said }: UnreportedResult,
  { isUnfinished }: { isUnfinished: boolean },
): string | undefined {
  const texts = said !== undefined && (isUnfinished || answers.length === 0) ? [...answers, said] : answers;
  if (texts.length < 2) return texts[0];
  const ordered = isUnfinished ? texts : [texts.at(-1), "Before that it said:", ...texts.slice(0, -1)];
  return ordered.join("\n\n");
}

const outcomeOf = ({ lastPeerMessage: toPeer, completed }: UnreportedResult, result: string | undefined) => ({
  ...(result !== undefined && { result }),
  ...(toPeer !== undefined && { summary: toPeer }),
  ...(completed && { completedTaskId: completed.taskId, completedStatus: "resolved" as const }),
  ...(completed?.checks && { completedChecks: completed.checks }),
});

const evidenceOf = (
  { evidenceTotals: done, isFirst }: UnreportedResult,
  { hasReport = true }: { hasReport?: boolean } = {},
) => ({
  evidence: evidenceText(evidenceFromTotals(done), { of: isFirst ? "all" : "since its last report", hasReport }),
});
