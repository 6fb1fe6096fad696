import { isOnlyWaiting, isWaitingForJob } from "../../agent/index.ts";
import type { MailBody } from "../../protocol/index.ts";
import type { ReportWeight } from "./team-attention.ts";

type Report = Extract<MailBody, { kind: "idle_notification" }>;

/**
 * Says whether a report tells the lead something. A report without a tool call that has no text, or only says "I wait",
 * does not.
 */
export function reportWeight(report: Report): ReportWeight {
  if (report.idleReason !== "available" || report.completedTaskId !== undefined) return "news";
  // Its next report follows when the job ends.
  if (isWaitingForJob(report)) return "none";
  if (report.leftJobs !== undefined && report.result === undefined) return "news";
  const didNothing = report.didNothing === true || report.evidence === undefined;
  if ((report.result === undefined && didNothing) || isOnlyWaiting(report)) return "none";
  // The end of its sender is news and follows.
  if (report.isLeaving) return report.evidence === undefined ? "none" : "answer";
  return "news";
}
