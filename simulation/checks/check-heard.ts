import { agentLogs, endedWell, type Fault, leadLogOf, promptsOf, runTimeOf, type AgentLog } from "./agent-log.ts";
import type { RunRecord } from "../world/run-scenario.ts";

/** Before a run ends, the lead has heard every end of a teammate and every report with news, and had a turn for it. */
export function checkHeard(record: RunRecord): Fault[] {
  const lead = leadLogOf(record);
  if (!lead || !endedWell(record)) return [];
  return [...unheardEnds(record, lead), ...unheardReports(record, lead), ...lateReports(record, lead)];
}

function unheardEnds(record: RunRecord, lead: AgentLog): Fault[] {
  const { teams, virtualMs } = record;
  const prompts = promptsOf(lead);
  return teams.flatMap(({ team }) =>
    team.members.flatMap(({ name, ended }): Fault[] => {
      if (!ended || isStartFailure(lead, name)) return [];
      const at = runTimeOf(ended.at, record);
      // The words of the end may come just before the end itself is written.
      const isHeard = prompts.some(
        (prompt) =>
          prompt.admittedAt >= at - 5_000 &&
          prompt.answeredAt !== undefined &&
          prompt.text.includes(name) &&
          /\b(end|ended|gone|left|stopped|lost|agreed|leaving|failed|could not|cannot)\b/.test(prompt.text),
      );
      const message = `${name} ended (${ended.reason}) after ${Math.round(at / 1000)} s, and the lead never had a turn about it`;
      return isHeard ? [] : [{ rule: "unheard end", at: virtualMs, message }];
    }),
  );
}

/** A member that could not be started: the result of the call says so. */
function isStartFailure({ events }: AgentLog, name: string): boolean {
  const calls = new Set<string>();
  return events.some(({ event }) => {
    const input =
      event.type === "tool.called" && event.name === "Agent" ? (event.input as { name?: unknown }) : undefined;
    if (event.type === "tool.called" && input?.name === name) calls.add(event.callId);
    return event.type === "tool.settled" && event.outcome !== "ok" && calls.has(event.callId);
  });
}

const lookingTools = new Set(["TaskList", "TaskGet", "Read", "SendMessage"]);

/** A report has news if its author has done more than look since its last report. */
function reportsWithNews(log: AgentLog): { readonly mailId: string; readonly at: number }[] {
  const found: { mailId: string; at: number }[] = [];
  let hasNews = false;
  for (const { at, event } of log.events) {
    if (event.type === "tool.settled" && event.outcome !== "ok") hasNews = true;
    if (event.type === "tool.called" && !lookingTools.has(event.name)) hasNews = true;
    if (event.type !== "mail.sent" || event.kind !== "idle_notification") continue;
    if (hasNews) found.push({ mailId: event.mailId, at });
    hasNews = false;
  }
  return found;
}

const promptOf = (mailId: string) => mailId.replace(/^mail_/, "prm_m");

function unheardReports(record: RunRecord, lead: AgentLog): Fault[] {
  const prompts = new Map(promptsOf(lead).map((prompt) => [prompt.id, prompt]));
  return agentLogs(record).flatMap((log) =>
    reportsWithNews(log).flatMap(({ mailId, at }): Fault[] => {
      const prompt = prompts.get(promptOf(mailId));
      if (prompt?.answeredAt !== undefined || prompt?.isReplaced) return [];
      const how = prompt ? "is in the lead's conversation without a turn after it" : "never reached the lead";
      const message = `the report of ${log.name} after ${Math.round(at / 1000)} s ${how}`;
      return [{ rule: "unheard report", at: record.virtualMs, message }];
    }),
  );
}

/** A report with news reaches an idle lead soon, even while others work. */
const maxHoldMs = 45_000;

function lateReports(record: RunRecord, lead: AgentLog): Fault[] {
  const prompts = new Map(promptsOf(lead).map((prompt) => [prompt.id, prompt]));
  const restarts = record.processes.map(({ startedAt }) => startedAt);
  return agentLogs(record).flatMap((log) =>
    reportsWithNews(log).flatMap(({ mailId }): Fault[] => {
      const { admittedAt, promotedAt } = prompts.get(promptOf(mailId)) ?? {};
      if (admittedAt === undefined || promotedAt === undefined || promotedAt - admittedAt <= maxHoldMs) return [];
      if (restarts.some((at) => at > admittedAt && at <= promotedAt)) return [];
      // A notice that cannot be stored waits.
      if (record.fullDisk.some(({ from, to }) => from < promotedAt && to > admittedAt)) return [];
      if (wasBusy(lead, admittedAt, promotedAt)) return [];
      if (isAskedToEnd(lead, log.name, admittedAt)) return [];
      const held = Math.round((promotedAt - admittedAt) / 1000);
      return [
        { rule: "held report", at: promotedAt, message: `a report of ${log.name} waited ${held} s for an idle lead` },
      ];
    }),
  );
}

/** The lead hears of a member that ends when it has ended, at the latest after the deadline for that. */
const isAskedToEnd = ({ events }: AgentLog, name: string, before: number) =>
  events.some(
    ({ at, event }) =>
      event.type === "mail.sent" && event.kind === "shutdown_request" && event.to === name && at <= before,
  );

/** True if the lead had a turn for a noticeable part of the time. */
function wasBusy({ events }: AgentLog, from: number, to: number): boolean {
  let started: number | undefined;
  let busyMs = 0;
  for (const { at, event } of events) {
    if (event.type === "turn.started") started ??= at;
    if (event.type === "agent.idle" && started !== undefined) {
      busyMs += Math.max(0, Math.min(to, at) - Math.max(from, started));
      started = undefined;
    }
  }
  return to - from - busyMs < maxHoldMs;
}
