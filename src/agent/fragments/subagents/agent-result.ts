import { escapeMarkup } from "../escape-markup.ts";
import { type ReportCheck, checkedReportText, reportCheckWarning } from "./report-check.ts";

/** The result of a subagent, for the agent that started it. */
export interface AgentReport {
  readonly agentId: string;
  readonly description: string;
  readonly status: "completed" | "failed" | "stopped";
  /** The agent's last message. */
  readonly text: string;
  /** The reason for the end, unless the agent finished by itself. */
  readonly reason?: string | undefined;
  /** True if the agent continues on another machine. Its next report comes when the session is resumed. */
  readonly goesOn?: boolean | undefined;
  /** The agent's activity, according to its log. */
  readonly evidence: string;
  /** The result of the report check, if reports are checked. */
  readonly handOver?: ReportCheck | undefined;
  readonly usage: { readonly tokens: number; readonly toolCalls: number; readonly durationMs: number };
  readonly worktree?:
    | {
        readonly path: string;
        readonly branch: string;
        readonly kept: boolean;
        /** The changes since its base, in one line. */
        readonly diff?: string;
      }
    | undefined;
}

const noClosingMessage =
  "The agent ended without a closing message. That is not a failure by itself: see below what it did.";

/** The result of a foreground agent. `brief` leaves out what matters only if the agent may be continued. */
export function agentResult(report: AgentReport, { brief }: { brief: boolean }): string {
  const head =
    report.status === "completed"
      ? []
      : [`The agent ${report.status}: ${report.reason ?? "no reason was given"}. What it did before that:`];
  const text = report.text.trim() === "" ? noClosingMessage : checkedReportText(report.text, report.handOver);
  const tail =
    brief && report.status === "completed" ? [] : [report.evidence, worktreeLine(report), usageBlock(report)];
  return [...head, text, ...tail].filter((part) => part !== "").join("\n\n");
}

/** Reports the end of a background agent to the agent that started it. */
export const agentNotification = (taskId: string | undefined, prompt: string, report: AgentReport): string => {
  const warning = reportCheckWarning(report.handOver);
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

/** The result of a call whose agent continues in the background. */
export const agentLaunched = (agent: { agentId: string; taskId: string; outputFile: string; note?: string }): string =>
  [
    `${agent.note ?? "The agent is at work in the background."} You are notified when it ends. Do not wait for it, and do not do its work yourself.`,
    `agent id: ${agent.agentId}`,
    `task id: ${agent.taskId} (TaskOutput shows its output, TaskStop stops it)`,
    `output file: ${agent.outputFile}`,
  ].join("\n");

function usageBlock({ agentId, usage }: AgentReport): string {
  return `<usage>agent id: ${agentId}, tokens: ${usage.tokens}, tool calls: ${usage.toolCalls}, duration: ${(usage.durationMs / 1000).toFixed(1)} s</usage>`;
}

function worktreeLine({ worktree }: AgentReport): string {
  if (!worktree) return "";
  return worktree.kept
    ? [`Its work is ${onBranch(worktree.branch)}in ${worktree.path}.`, worktree.diff ?? ""].join("\n").trimEnd()
    : "It changed nothing, and its worktree was removed.";
}

const onBranch = (branch: string) => (branch === "" ? "" : `on the branch ${branch}, `);

const cut = (text: string, limit: number) =>
  text.length <= limit ? text : `${text.slice(0, limit)} [… ${text.length - limit} characters cut]`;
