import { oneLine } from "../../../protocol/index.ts";
import { joinNames, type ToolNames } from "../../../tool/index.ts";
import { escapeNotificationPart as escape } from "../escape-markup.ts";
import { landHint, type WorktreeState, worktreeStateLine } from "../worktree.ts";
import { type ReportCheck, checkedReportText, reportCheckWarning } from "./report-check.ts";

/** The result of a subagent, for the agent that started it. */
export interface AgentReport {
  readonly agentId: string;
  /** The name that the starting agent gave it. */
  readonly name?: string | undefined;
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
  /** True if the lead reads the report, who can land branches. */
  readonly isForLead?: boolean | undefined;
  readonly usage: { readonly tokens: number; readonly toolCalls: number; readonly durationMs: number };
  readonly worktree?:
    | {
        readonly path: string;
        readonly branch: string;
        readonly kept: boolean;
        /** Set if it was removed because its commits have landed. */
        readonly landed?: { readonly commits: number; readonly target: string | undefined } | undefined;
        /** The changes since its base, in one line. */
        readonly diff?: string;
        /** Its work that has not landed. */
        readonly state?: WorktreeState | undefined;
      }
    | undefined;
}

/** The text of a report without a closing message. Only for a completed agent is it worth a word. */
const textOf = ({ text, status }: AgentReport): string =>
  text.trim() === "" && status === "completed" ? "(It ended without a closing message. See below what it did.)" : text;

/** The result of a foreground agent. `brief` leaves out what matters only if the agent may be continued. */
export function agentResult(report: AgentReport, { brief }: { brief: boolean }): string {
  const head =
    report.status === "completed"
      ? []
      : [
          `The agent ${report.status}: ${endReason(report)}. ${report.text.trim() === "" ? "" : "Its last text:"}`.trim(),
        ];
  const text = checkedReportText(textOf(report), report.handOver);
  const tail =
    brief && report.status === "completed" ? [] : [report.evidence, worktreeLine(report), `Agent: ${whoIs(report)}`];
  return [...head, text, ...tail].filter((part) => part !== "").join("\n\n");
}

const endReason = ({ reason = "no reason was given" }: AgentReport) => reason.replace(/\.$/, "");

/** Reports the end of a background agent to the agent that started it. */
export const agentNotification = (taskId: string | undefined, prompt: string, report: AgentReport): string => {
  const warning = reportCheckWarning(report.handOver);
  const text = textOf(report);
  return [
    "<task-notification>",
    ...(report.name === undefined ? [] : [`<name>${escape(report.name)}</name>`]),
    ...(taskId === undefined ? [] : [`<task-id>${taskId}</task-id>`]),
    `<agent-id>${report.agentId}</agent-id>`,
    `<status>${report.status}</status>`,
    `<summary>${escape(report.description)}</summary>`,
    `<prompt>${escape(cut(prompt, 400))}</prompt>`,
    ...(report.reason === undefined ? [] : [`<reason>${escape(report.reason)}</reason>`]),
    ...(warning === undefined ? [] : [`<warning>${escape(warning)}</warning>`]),
    ...(text.trim() === "" ? [] : [`<output>\n${escape(cut(text, 20_000))}\n</output>`]),
    `<evidence>\n${escape(report.evidence)}\n</evidence>`,
    ...(report.worktree ? [`<worktree>${escape(worktreeLine(report))}</worktree>`] : []),
    "</task-notification>",
  ].join("\n");
};

/** One line for an agent that stopped a background agent itself. The text of the agent is in its output. */
export const stoppedAgentNotification = (taskId: string, report: AgentReport): string => {
  return [
    "<task-notification>",
    ...(report.name === undefined ? [] : [`<name>${escape(report.name)}</name>`]),
    `<task-id>${taskId}</task-id>`,
    `<agent-id>${report.agentId}</agent-id>`,
    `<status>${report.status}</status>`,
    "<reason>you stopped it; a message to it resumes it</reason>",
    `<evidence>${escape(cut(oneLine(report.evidence), 400))}</evidence>`,
    ...(report.worktree ? [`<worktree>${escape(oneLine(worktreeLine(report)))}</worktree>`] : []),
    "</task-notification>",
  ].join("");
};

export interface LaunchedAgent {
  readonly agentId: string;
  readonly name?: string | undefined;
  readonly taskId: string;
  readonly outputFile: string;
  readonly note?: string | undefined;
}

/** The result of a call whose agent continues in the background. Names only tools that the caller has. */
export function agentLaunched(agent: LaunchedAgent, tools: ToolNames): string {
  const uses = Object.entries({ TaskOutput: "shows its output", TaskStop: "stops it" }).flatMap(([name, does]) =>
    tools.has(name) ? [`${name} ${does}`] : [],
  );
  return [
    `${agent.note ?? "The agent works in the background."} You are notified when it ends. If you have nothing else to do, end your turn: you are woken with its result.`,
    `agent: ${whoIs(agent)}`,
    `task id: ${agent.taskId}${uses.length === 0 ? "" : ` (${joinNames(uses)})`}`,
    ...(tools.has("Read") ? [`output file: ${agent.outputFile}`] : []),
  ].join("\n");
}

const whoIs = ({ name, agentId }: Pick<AgentReport, "name" | "agentId">) =>
  name === undefined ? agentId : `${name} (${agentId})`;

function worktreeLine({ worktree, isForLead }: AgentReport): string {
  if (!worktree) return "";
  if (!worktree.kept) return removedLine(worktree.landed);
  const { branch, path, diff, state } = worktree;
  return [
    `Its work is ${onBranch(branch)}in ${path}.`,
    ...(state ? [worktreeStateLine(state)] : []),
    ...(diff === undefined ? [] : [diff]),
    ...(isForLead && state ? landHint(state) : []),
  ].join("\n");
}

function removedLine(landed: NonNullable<AgentReport["worktree"]>["landed"]): string {
  if (!landed) return "It changed nothing, and its worktree was removed.";
  const { commits, target } = landed;
  const its = commits === 1 ? "Its commit has landed" : `Its ${commits} commits have landed`;
  return `${its}${target === undefined ? "" : ` on ${target}`}. It left nothing else, and its worktree was removed.`;
}

const onBranch = (branch: string) => (branch === "" ? "" : `on the branch ${branch}, `);

/** A text that is only a little too long stays whole: the note would be longer than what it replaces. */
function cut(text: string, limit: number): string {
  const note = ` [… ${text.length - limit} characters cut]`;
  return text.length <= limit + note.length ? text : `${text.slice(0, limit)}${note}`;
}
