import { escapeMarkup } from "../escape-markup.ts";
import { type ReportCheck, checkedReportText, reportCheckWarning } from "./report-check.ts";

/** How a sub-agent's work came out, for the one that started it. */
export interface AgentReport {
  readonly agentId: string;
  readonly description: string;
  readonly status: "completed" | "failed" | "stopped";
  /** Its last words. */
  readonly text: string;
  /** Why it ended, when it did not end by itself. */
  readonly reason?: string | undefined;
  /** It is not over: it goes on elsewhere, and nothing more is heard of it before the session is resumed. */
  readonly continuesRemotely?: boolean | undefined;
  /** What it did to get there, as its log has it. */
  readonly evidence: string;
  /** Where reports are looked at before they are handed over: what came of it. */
  readonly reportCheck?: ReportCheck | undefined;
  readonly usage: { readonly tokens: number; readonly toolCalls: number; readonly durationMs: number };
  readonly worktree?:
    | {
        readonly path: string;
        readonly branch: string;
        readonly kept: boolean;
        /** What it has that its base has not, in one line. */
        readonly diff?: string;
      }
    | undefined;
}

const noClosingMessage =
  "The agent ended without a closing message. That is no failure by itself: what it did is below.";

/** The result of a foreground agent. `brief` leaves out what only matters to somebody who may go on with the agent. */
export function agentResult(report: AgentReport, { brief }: { brief: boolean }): string {
  const head =
    report.status === "completed"
      ? []
      : [`The agent ${report.status}: ${report.reason ?? "no reason was given"}. What it had done until then:`];
  const text = report.text.trim() === "" ? noClosingMessage : checkedReportText(report.text, report.reportCheck);
  const tail =
    brief && report.status === "completed" ? [] : [report.evidence, worktreeLine(report), usageBlock(report)];
  return [...head, text, ...tail].filter((part) => part !== "").join("\n\n");
}

/** Tells the one that started it that a background agent has ended. */
export const agentNotification = (taskId: string | undefined, prompt: string, report: AgentReport): string => {
  const warning = reportCheckWarning(report.reportCheck);
  return [
    "<task-notification>",
    ...(taskId === undefined ? [] : [`<task-id>${taskId}</task-id>`]),
    `<agent-id>${report.agentId}</agent-id>`,
    `<status>${report.status}</status>`,
    `<summary>${escapeMarkup(report.description)}</summary>`,
    `<prompt>${escapeMarkup(cut(prompt, 400))}</prompt>`,
    ...(report.reason === undefined ? [] : [`<reason>${escapeMarkup(report.reason)}</reason>`]),
    ...(warning === undefined ? [] : [`<warning>${escapeMarkup(warning)}</warning>`]),
    `<output>\n${escapeMarkup(report.text.trim() === "" ? noClosingMessage : cut(report.text, 20_000))}\n</output>`,
    `<evidence>\n${escapeMarkup(report.evidence)}\n</evidence>`,
    ...(report.worktree ? [`<worktree>${escapeMarkup(worktreeLine(report))}</worktree>`] : []),
    usageBlock(report),
    "</task-notification>",
  ].join("\n");
};

/** The result of a call that has left an agent at work. */
export const agentLaunched = (agent: { agentId: string; taskId: string; outputFile: string; note?: string }): string =>
  [
    `${agent.note ?? "The agent is at work in the background."} You will be told when it has ended; do not wait for it or do its work yourself.`,
    `agent id: ${agent.agentId}`,
    `task id: ${agent.taskId} (TaskOutput shows what it has written, TaskStop ends it)`,
    `output file: ${agent.outputFile}`,
  ].join("\n");

function usageBlock({ agentId, usage }: AgentReport): string {
  return `<usage>agent id: ${agentId}, tokens: ${usage.tokens}, tool calls: ${usage.toolCalls}, duration: ${(usage.durationMs / 1000).toFixed(1)} s</usage>`;
}

function worktreeLine({ worktree }: AgentReport): string {
  if (!worktree) return "";
  return worktree.kept
    ? [`Its work is ${onBranch(worktree.branch)}in ${worktree.path}.`, worktree.diff ?? ""].join("\n").trimEnd()
    : "It changed nothing in its worktree, which has been removed.";
}

const onBranch = (branch: string) => (branch === "" ? "" : `on the branch ${branch}, `);

const cut = (text: string, limit: number) =>
  text.length <= limit ? text : `${text.slice(0, limit)} [… ${text.length - limit} characters cut]`;
