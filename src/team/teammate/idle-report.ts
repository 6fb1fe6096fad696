import type { Envelope, MailBody } from "../../protocol/index.ts";
import { evidenceText } from "../evidence/evidence-text.ts";
import { evidenceFromTotals } from "../evidence/evidence-totals.ts";
import type { UnreportedResult } from "./unreported-work.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;
type ReportBody = Extract<MailBody, { kind: "idle_notification" }>;

/** What the lead of a teammate is told of a rest: what has come of its work, and what was done for it. Undefined: nothing new. */
export function idleReportBody(report: UnreportedResult, { reason, detail }: Idle): ReportBody | undefined {
  // It was woken and had nothing to do: it is as idle as it was when that was told.
  if (!report.hasWorked && reason === "completed" && report.answers.length === 0) return undefined;
  const idleReason = reason === "completed" ? "available" : reason === "interrupted" ? "interrupted" : "failed";
  const isUnfinished = idleReason !== "available";
  return {
    kind: "idle_notification",
    idleReason,
    ...outcomeOf(report, resultOf(report, { isUnfinished })),
    ...(report.hasWorked && evidenceOf(report)),
    ...(idleReason === "failed" && detail !== undefined && { failureReason: detail }),
  };
}

/** The same of one that has agreed to end, before it does. Undefined: it leaves without a word. */
export function farewellReportBody(report: UnreportedResult): ReportBody | undefined {
  const result = resultOf(report, { isUnfinished: true });
  if (result === undefined && report.completed === undefined) return undefined;
  // Of one that had told everything these are words about the end, and nothing was done for them.
  const didWork = report.answers.length > 0 || report.evidenceTotals.toolCalls.size > 0;
  return {
    kind: "idle_notification",
    idleReason: "available",
    isLeaving: true,
    ...outcomeOf(report, result),
    ...(didWork && evidenceOf(report)),
  };
}

/** Whoever did not come to an answer has what it said on its way there. */
function resultOf(
  { answers, lastText: said }: UnreportedResult,
  { isUnfinished }: { isUnfinished: boolean },
): string | undefined {
  const includesLastText = said !== undefined && (isUnfinished || answers.length === 0);
  const texts = includesLastText ? [...answers, said] : answers;
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

const outcomeOf = ({ lastPeerMessage: toPeer, completed }: UnreportedResult, result: string | undefined) => ({
  ...(result !== undefined && { result }),
  ...(toPeer !== undefined && { summary: toPeer }),
  ...(completed !== undefined && { completedTaskId: completed, completedStatus: "resolved" as const }),
});

const evidenceOf = ({ evidenceTotals: done, isFirst }: UnreportedResult) => ({
  evidence: evidenceText(evidenceFromTotals(done), isFirst ? "all" : "since its last report"),
});
