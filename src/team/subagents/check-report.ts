import { randomUUID } from "node:crypto";
import {
  type AgentReport,
  type AskSideQuestion,
  type ReportCheck,
  reportCheckQuestion,
  parseReportCheck,
} from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";

const maxMs = 60_000;

/** Lets a small model check a report before it is delivered. The report is delivered whatever the check says. */
export async function checkReport(
  report: Pick<AgentReport, "text" | "evidence">,
  { ask, clock, signal }: { ask: AskSideQuestion | undefined; clock: Clock; signal: AbortSignal },
): Promise<ReportCheck> {
  if (report.text.trim() === "") return { verdict: "clean" };
  if (!ask) return notChecked("no small model is configured; set smallModel in the settings");
  const late = new AbortController();
  const answered = new AbortController();
  const timer = clock.sleep(maxMs, answered.signal).then(
    () => late.abort(new DOMException("the check timed out", "TimeoutError")),
    () => undefined, // answered in time
  );
  const question = reportCheckQuestion({ ...report, mark: `=====${randomUUID()}=====` });
  const until = AbortSignal.any([signal, late.signal]);
  const answer = await ask({ ...question, purpose: "check", maxOutputTokens: 200 }, until);
  answered.abort();
  await timer;
  if (late.signal.aborted) return notChecked("the check timed out");
  if (!answer.ok) return notChecked(answer.reason);
  return parseReportCheck(answer.text) ?? notChecked("the answer of the check could not be parsed");
}

const notChecked = (detail: string): ReportCheck => ({ verdict: "not checked", why: detail });
