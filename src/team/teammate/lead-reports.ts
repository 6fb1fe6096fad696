import type { Clock } from "../../platform/index.ts";
import { type Envelope, type EventId, type MailBody, teamLead } from "../../protocol/index.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { farewellReportBody, idleReportBody } from "./idle-report.ts";
import { jobText, type JobWait } from "./job-wait.ts";
import type { TaskClaimer } from "./task-claimer.ts";
import type { UnreportedWork } from "./unreported-work.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** Sends a teammate's reports to its lead. */
export interface LeadReports {
  /** Reports all work up to this idle event. `instead` replaces how it ended. */
  reportIdle(idleEvent: EventId, instead?: Idle): Promise<void>;
  reportFailure(idleEvent: EventId | undefined, detail: string): Promise<void>;
  /** Reports that its commands run too long to be waited for. */
  reportLeftJobs(): Promise<void>;
  /** Reports what is unreported, in the middle of a turn. */
  sendFarewell(): Promise<void>;
}

/** Awaited before each idle report, so that the lead can see its work. */
export type PrepareReport = () => Promise<ReportFacts>;

export interface ReportFacts {
  /** A line for the evidence. */
  readonly line?: string | undefined;
  /** It is in plan mode and can present a plan. */
  readonly isPlanning: boolean;
}

export interface LeadReportsOptions {
  readonly sender: Pick<MailSender, "send">;
  readonly unreported: UnreportedWork;
  readonly prepareReport?: PrepareReport | undefined;
  /** Keeps the text of each report with its task. */
  readonly claimer: Pick<TaskClaimer, "taskInProgress" | "keepWords">;
  readonly jobs: Pick<JobWait, "awaited" | "left">;
  readonly clock: Pick<Clock, "now">;
}

export function createLeadReports({ sender, unreported, jobs, clock, ...options }: LeadReportsOptions): LeadReports {
  const jobFields = () => {
    const [awaitedJobs, leftJobs] = [jobs.awaited(), jobs.left()].map((list) =>
      list.map((job) => jobText(job, clock.now())),
    );
    return { ...(awaitedJobs?.length && { awaitedJobs }), ...(leftJobs?.length && { leftJobs }) };
  };
  const reportIdle: LeadReports["reportIdle"] = async (idleEvent, instead) => {
    const report = unreported.reportUntil(idleEvent);
    if (!report) return;
    const found = idleReportBody(report, instead ?? report.idle);
    if (!found) return;
    const { line, isPlanning } = (await options.prepareReport?.()) ?? { isPlanning: false };
    const evidence = [found.evidence, line && `- when it reported: ${line}`].filter(Boolean).join("\n");
    const openTaskId = await options.claimer.taskInProgress();
    const lacksPlan = isPlanning && found.idleReason === "available";
    const body = {
      ...found,
      ...(evidence !== "" && { evidence }),
      ...(openTaskId !== undefined && { openTaskId }),
      ...(lacksPlan && { lacksPlan }),
      ...(found.idleReason === "available" && jobFields()),
    };
    if (body.result !== undefined) await options.claimer.keepWords(body.result);
    await sender.send({ id: report.mailId, to: teamLead, body, wakes: body.idleReason === "failed" });
  };
  return {
    reportIdle,
    async reportFailure(idleEvent, detail) {
      if (idleEvent !== undefined) return reportIdle(idleEvent, { type: "agent.idle", reason: "failed", detail });
      const body: MailBody = { kind: "idle_notification", idleReason: "failed", failureReason: detail };
      await sender.send({ to: teamLead, body, wakes: true });
    },
    async reportLeftJobs() {
      const body: MailBody = { kind: "idle_notification", idleReason: "available", ...jobFields() };
      await sender.send({ to: teamLead, body, wakes: false });
    },
    async sendFarewell() {
      const report = unreported.reportUntilNow();
      const body = report && farewellReportBody(report);
      if (body?.result !== undefined) await options.claimer.keepWords(body.result);
      if (body) await sender.send({ id: report.mailId, to: teamLead, body, wakes: false });
    },
  };
}
