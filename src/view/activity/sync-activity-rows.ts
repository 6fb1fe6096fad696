import type { Envelope } from "../../protocol/index.ts";
import type { AgentView } from "../session/agent-view.ts";
import { itemAt, itemsOf } from "../lists/chunked-list.ts";
import { agentOf, type BackgroundView, leadOf, type SessionView } from "../session/session-view.ts";
import { type AgentRow, isAgentRow, isFinished, type ActivityRow } from "./activity-row.ts";
import { subagentRow, memberOfAgent, memberPath, shellRow, teammateRow } from "./build-activity-row.ts";
import type { MemberView } from "../session/team-view.ts";

export type ActivityRows = ReadonlyMap<string, ActivityRow>;

/** Returns the rows after an event; the same map if it concerned none of them. */
export function syncActivityRows(
  tasks: ActivityRows,
  session: SessionView,
  { event, agent, at: time }: Envelope,
): ActivityRows {
  const at = Date.parse(time);
  switch (event.type) {
    case "member.changed":
      return event.role === "lead" ? tasks : withMember(tasks, session, { member: event, at });
    case "background.started":
    case "background.output":
    case "background.ended": {
      const background = backgroundOf(session, event.backgroundId);
      const after = background ? withBackground(tasks, session, { background, at }) : tasks;
      return withAgent(after, session, { agent: agentOf(session, agent), at });
    }
    case "session.opened":
    case "session.closed":
      // Everything that ran in the previous process has stopped.
      return syncAllActivityRows(tasks, session, at);
    case "text.delta":
    case "thinking.delta":
    case "tool.drafted":
    case "tool.progress":
    case "turn.waiting":
    case "turn.retried":
    case "mcp.changed":
    case "task.changed":
    case "command.settled":
      return tasks;
    default:
      return withAgent(tasks, session, { agent: agentOf(session, agent), at });
  }
}

/** Builds the rows of a session in its current state, from the known rows and what runs in it. */
export function syncAllActivityRows(tasks: ActivityRows, session: SessionView, at: number): ActivityRows {
  let after = tasks;
  for (const background of itemsOf(session.background)) after = withBackground(after, session, { background, at });
  for (const agent of itemsOf(session.agents)) after = withAgent(after, session, { agent, at });
  for (const [team, { members }] of session.teams)
    for (const member of members)
      if (member.role !== "lead") after = withMember(after, session, { member: { ...member, team }, at });
  return after;
}

/** Creates a row for an agent whose row is gone; undefined if there is no such agent. */
export function activityRowFor(session: SessionView, id: string, at: number): AgentRow | undefined {
  const agent = [...itemsOf(session.agents)].find((each) => activityRowIdOf(session, each) === id);
  const place = memberPath(id);
  const member = place && session.teams.get(place.team)?.members.find(({ name }) => name === place.name);
  if (place && member) return teammateRow({ ...member, ...place }, { previous: undefined, at }, agent);
  return agent && rowOfAgent(session, agent, { previous: undefined, at });
}

/** Undefined for the session's own agent, or an agent that is not identified yet. */
export function activityRowIdOf(session: SessionView, agent: AgentView): string | undefined {
  if (agent.agentType === "" || leadOf(session)?.id === agent.id) return undefined;
  return memberPath(agent.path) ? agent.path : agent.id;
}

function withAgent(
  tasks: ActivityRows,
  session: SessionView,
  { agent, at }: { readonly agent: AgentView | undefined; readonly at: number },
): ActivityRows {
  const id = agent && activityRowIdOf(session, agent);
  if (!agent || id === undefined) return tasks;
  return withRow(tasks, rowOfAgent(session, agent, { previous: tasks.get(id), at }));
}

function rowOfAgent(
  session: SessionView,
  agent: AgentView,
  { previous, at }: { readonly previous: ActivityRow | undefined; readonly at: number },
): AgentRow {
  const heard = memberOfAgent(agent);
  if (!heard)
    return previous?.type === "local_agent"
      ? subagentRow(agent, { previous, at })
      : subagentRow(agent, { previous: undefined, at }, runningAs(session, agent));
  const known = session.teams.get(heard.team)?.members.find(({ name }) => name === heard.name);
  const member = { ...heard, ...known };
  return teammateRow(member, { previous: previous && teammateRowIn(previous), at }, agent);
}

function withMember(
  tasks: ActivityRows,
  session: SessionView,
  { member, at }: { readonly member: MemberView & { readonly team: string }; readonly at: number },
): ActivityRows {
  const previous = tasks.get(`${member.name}@${member.team}`);
  const before = previous && teammateRowIn(previous);
  const agent = before?.agent === undefined ? agentAt(session, member) : agentOf(session, before.agent);
  const next = teammateRow(member, { previous: before, at }, agent);
  // Its newer output is only in its log.
  const isStale = next.retain && next.type === "remote_agent" && next !== before;
  return withRow(tasks, isStale ? { ...next, diskLoaded: false } : next);
}

const agentAt = (session: SessionView, { name, team }: { readonly name: string; readonly team: string }) =>
  [...itemsOf(session.agents)].find((agent) => agent.path === `${name}@${team}`);

const teammateRowIn = (task: ActivityRow) =>
  task.type === "in_process_teammate" || task.type === "remote_agent" ? task : undefined;

function withBackground(
  tasks: ActivityRows,
  session: SessionView,
  { background, at }: { readonly background: BackgroundView; readonly at: number },
): ActivityRows {
  if (background.kind === "shell") {
    const previous = tasks.get(background.backgroundId);
    return withRow(
      tasks,
      shellRow(background, { previous: previous?.type === "local_bash" ? previous : undefined, at }),
    );
  }
  const agent = background.runs && agentOf(session, background.runs);
  const id = agent && activityRowIdOf(session, agent);
  const previous = id === undefined ? undefined : tasks.get(id);
  if (!agent || id === undefined || memberPath(agent.path)) return tasks;
  const before = previous?.type === "local_agent" ? previous : undefined;
  return withRow(tasks, subagentRow(agent, { previous: before, at }, background));
}

function runningAs(session: SessionView, agent: AgentView): BackgroundView | undefined {
  for (const index of session.runningBackground.values()) {
    const background = itemAt(session.background, index);
    if (background?.runs === agent.id) return background;
  }
  return undefined;
}

function backgroundOf(session: SessionView, id: BackgroundView["backgroundId"]): BackgroundView | undefined {
  const running = session.runningBackground.get(id);
  if (running !== undefined) return itemAt(session.background, running);
  for (let index = session.background.length - 1; index >= 0; index--) {
    const background = itemAt(session.background, index);
    if (background?.backgroundId === id) return background;
  }
  return undefined;
}

/** Jobs that had ended when first seen get no row. */
function withRow(tasks: ActivityRows, task: ActivityRow): ActivityRows {
  const before = tasks.get(task.id);
  if (before === task || (!before && isFinished(task))) return tasks;
  return new Map(tasks).set(task.id, task);
}

/** Updates the transcript of a retained row after its session has changed. */
export function withMessages(tasks: ActivityRows, session: SessionView, id: string): ActivityRows {
  const task = tasks.get(id);
  if (!task || !isAgentRow(task) || task.agent === undefined) return tasks;
  const agent = agentOf(session, task.agent);
  if (!agent || agent.isForgotten || task.messages === agent.transcript) return tasks;
  return new Map(tasks).set(id, { ...task, messages: agent.transcript });
}
