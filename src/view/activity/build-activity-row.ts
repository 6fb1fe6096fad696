import { type BackendType, type Command, type MemberState, teamLead } from "../../protocol/index.ts";
import { agentName, type AgentView } from "../session/agent-view.ts";
import type { BackgroundView } from "../session/session-view.ts";
import {
  type AgentRow,
  isFinished,
  type SubagentRow,
  type ShellRow,
  type ActivityRow,
  type ActivityStatus,
  type TeammateRow,
} from "./activity-row.ts";
import type { MemberView } from "../session/team-view.ts";
import { tokensOf } from "../session/spending.ts";

/** How long the row of an ended job stays visible. */
export const evictionGraceMs = 30_000;

/** The previous row, and the time of the change. */
export interface RowChange<T extends ActivityRow> {
  readonly previous: T | undefined;
  readonly at: number;
}

/** Builds the row of a subagent. `background` is set if it runs as a background job. */
export function subagentRow(
  agent: AgentView,
  { previous, at }: RowChange<SubagentRow>,
  background?: BackgroundView,
): SubagentRow {
  const { status } = agent;
  const waits = status.kind === "waiting";
  const next: SubagentRow = {
    ...(previous ?? newAgentRow(agent.id, Date.parse(agent.startedAt))),
    type: "local_agent",
    agent: agent.id,
    path: agent.path,
    parent: agent.parent,
    name: agentName(agent),
    description: agent.description ?? agent.agentType,
    agentType: agent.agentType,
    model: agent.model,
    color: undefined,
    status: statusOfAgent(status),
    isIdle: status.kind === "idle",
    error: statusOfAgent(status) === "failed" ? (detailOf(status) ?? "it failed") : undefined,
    progress: progressOf(agent, previous),
    abort: previous?.path === agent.path ? previous.abort : { type: "interrupt", agent: agent.path },
    isBackgrounded: previous?.isBackgrounded || background !== undefined,
    backgroundId: background?.backgroundId ?? previous?.backgroundId,
    outputFile: background?.outputFile ?? previous?.outputFile,
  };
  return keepIfEqual(previous, withEndTime(withWaitTime(next, { waits, at }), previous, at));
}

/** Builds the row of a team member. `agent` is set if it runs in this process. */
export function teammateRow(
  member: MemberView & { readonly team: string },
  { previous, at }: RowChange<TeammateRow>,
  agent: AgentView | undefined,
): TeammateRow {
  const { team, name } = member;
  const status = statusOfMember(member);
  const remoteAgent = agent ? undefined : previous?.remoteAgent;
  const next: TeammateRow = {
    ...(previous ?? newAgentRow(`${name}@${team}`, Date.parse(member.since))),
    type: (member.backendType ?? "in-process") === "in-process" ? "in_process_teammate" : "remote_agent",
    team,
    name,
    state: member.state,
    sessionId: member.sessionId,
    backendType: member.backendType as BackendType | undefined,
    unread: member.unread ?? 0,
    isSilent: status === "running" && member.alive === "unknown",
    remoteAgent,
    description: (agent ?? remoteAgent)?.description ?? member.agentType ?? "teammate",
    agentType: member.agentType ?? agent?.agentType,
    model: (agent ?? remoteAgent)?.model ?? member.model,
    color: member.color,
    agent: agent?.id,
    status,
    isIdle: member.state === "idle",
    error: status === "failed" ? (member.detail ?? "its process has ended") : undefined,
    progress: agent ? progressOf(agent, previous) : remoteProgress(member, { remoteAgent, previous }),
    abort: previous?.abort ?? { type: "member.stop", team, name, now: true },
  };
  const waits = member.state === "waiting" || agent?.status.kind === "waiting";
  return keepIfEqual(previous, withEndTime(withWaitTime(next, { waits, at }), previous, at));
}

/** Builds the row of a background command. */
export function shellRow(background: BackgroundView, { previous, at }: RowChange<ShellRow>): ShellRow {
  const { backgroundId, description, outputFile, outputTail, exitCode, agent } = background;
  const status = background.status === "lost" ? "killed" : background.status;
  const grown = outputTail === previous?.outputTail ? 0 : addedLength(previous?.outputTail ?? "", outputTail);
  const abort: Command = previous?.abort ?? { type: "background.stop", backgroundId };
  const next: ShellRow = {
    ...(previous ?? newRow(backgroundId, Date.parse(background.startedAt))),
    type: "local_bash",
    backgroundId,
    agent,
    status,
    description,
    outputFile,
    outputTail,
    exitCode,
    abort,
    outputOffset: (previous?.outputOffset ?? 0) + grown,
    error: status === "failed" && exitCode !== null ? `exit code ${exitCode}` : undefined,
  };
  return keepIfEqual(previous, withEndTime(next, previous, at));
}

/** A member of which only the agent's activity is known yet. */
export function memberOfAgent(agent: AgentView): (MemberView & { readonly team: string }) | undefined {
  const place = memberPath(agent.path);
  if (!place) return undefined;
  return {
    ...place,
    role: place.name === teamLead ? "lead" : "teammate",
    state: stateOf[agent.status.kind],
    since: agent.startedAt,
    alive: "alive",
    agentType: agent.agentType,
    model: agent.model,
    backendType: "in-process",
    sessionId: agent.session,
  };
}

/** Splits `name@team`; undefined for an agent that is not a member. */
export function memberPath(path: string): { readonly name: string; readonly team: string } | undefined {
  const at = path.indexOf("@");
  return at <= 0 || path.includes("/") ? undefined : { name: path.slice(0, at), team: path.slice(at + 1) };
}

const stateOf: Readonly<Record<AgentView["status"]["kind"], MemberState>> = {
  starting: "starting",
  running: "working",
  waiting: "waiting",
  idle: "idle",
  stopped: "ended",
};

function statusOfAgent(status: AgentView["status"]): ActivityStatus {
  switch (status.kind) {
    case "starting":
      return "pending";
    case "running":
    case "waiting":
      return "running";
    case "idle":
      if (status.reason === "interrupted") return "killed";
      return status.reason === "completed" ? "completed" : "failed";
    case "stopped":
      return status.outcome;
  }
}

const detailOf = (status: AgentView["status"]) => ("detail" in status ? status.detail : undefined);

function statusOfMember({ state, alive, ended }: MemberView): ActivityStatus {
  if (state !== "ended") {
    if (alive === "dead") return "failed";
    return state === "starting" ? "pending" : "running";
  }
  if (ended === "killed") return "killed";
  return ended === "failed" || ended === "lost" ? "failed" : "completed";
}

const newRow = (id: string, startTime: number) => ({
  id,
  startTime,
  endTime: undefined,
  outputFile: undefined,
  outputOffset: 0,
  notified: false,
  evictAfter: undefined,
});

const newAgentRow = (id: string, startTime: number) => ({
  ...newRow(id, startTime),
  messages: undefined,
  retain: false,
  diskLoaded: false,
  streamed: [],
  waitingSince: undefined,
  permissionWaitMs: 0,
});

function progressOf(agent: AgentView, previous: AgentRow | undefined): AgentRow["progress"] {
  const next = {
    toolCalls: agent.toolCalls,
    tokens: tokensOf(agent.spending.total),
    costUsd: agent.spending.total.costUsd,
    lastMessage: agent.lastWords,
    summary: agent.progress?.text,
  };
  return keepIfEqual(previous?.progress, next);
}

interface ProgressSources {
  readonly remoteAgent: AgentView | undefined;
  readonly previous: AgentRow | undefined;
}

/** The progress of a member in another process: its own text, and the events received from it. */
function remoteProgress({ detail }: MemberView, { remoteAgent, previous }: ProgressSources): AgentRow["progress"] {
  if (remoteAgent) {
    const next = progressOf(remoteAgent, undefined);
    return keepIfEqual(previous?.progress, { ...next, summary: next.summary ?? detail });
  }
  const before = previous?.progress ?? { toolCalls: 0, tokens: 0, costUsd: 0, lastMessage: "", summary: undefined };
  return before.summary === detail ? before : { ...before, summary: detail };
}

/** Updates the row of a member in another process after an event. */
export function updateRemoteRow(task: TeammateRow, remoteAgent: AgentView): TeammateRow {
  const { summary: before } = task.progress;
  const next = progressOf(remoteAgent, undefined);
  const progress = keepIfEqual(task.progress, { ...next, summary: next.summary ?? before });
  return keepIfEqual(task, {
    ...task,
    remoteAgent,
    progress,
    model: remoteAgent.model,
    description: remoteAgent.description ?? task.description,
  });
}

/** Adds up the time it waits for people, which does not count as its own time. */
function withWaitTime<T extends AgentRow>(task: T, { waits, at }: { readonly waits: boolean; readonly at: number }): T {
  if (waits) return task.waitingSince === undefined ? { ...task, waitingSince: at } : task;
  if (task.waitingSince === undefined) return task;
  const permissionWaitMs = task.permissionWaitMs + Math.max(0, at - task.waitingSince);
  return { ...task, waitingSince: undefined, permissionWaitMs };
}

/** Sets or clears the end time when the row ends or starts again. */
function withEndTime<T extends ActivityRow>(task: T, previous: ActivityRow | undefined, at: number): T {
  if (!isFinished(task))
    return task.endTime === undefined ? task : { ...task, endTime: undefined, evictAfter: undefined, notified: false };
  if (previous && isFinished(previous)) return task;
  const isWatched = "retain" in task && task.retain;
  return { ...task, endTime: at, notified: true, evictAfter: isWatched ? undefined : at + evictionGraceMs };
}

/** Returns the added length of an output whose beginning may have been cut. */
function addedLength(before: string, after: string): number {
  if (after.startsWith(before)) return after.length - before.length;
  const end = before.slice(-200);
  const at = after.lastIndexOf(end);
  return at < 0 ? after.length : after.length - at - end.length;
}

function keepIfEqual<T extends object>(previous: T | undefined, next: T): T {
  if (previous === undefined) return next;
  const [before, after] = [Object.entries(previous), next as Readonly<Record<string, unknown>>];
  const isSame = before.length === Object.keys(next).length && before.every(([key, it]) => Object.is(it, after[key]));
  return isSame ? previous : next;
}
