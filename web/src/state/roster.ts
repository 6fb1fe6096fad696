import { useMemo } from "react";
import { AgentColor, type SessionId, type SessionListing, teamLead } from "../../../src/protocol/index.ts";
import {
  activityOf,
  type AgentView,
  emptyView,
  itemsOf,
  leadOf,
  type MemberView,
  type SessionView,
} from "../../../src/view/index.ts";
import { useDashboard } from "./dashboard-store.ts";

/** An agent of a session or its team. Names are unfiltered: apply `visibleLine` before drawing them. */
export interface RosterEntry {
  /** Stays the same for the same agent. */
  readonly key: string;
  readonly kind: "lead" | "teammate" | "sub-agent";
  readonly name: string;
  readonly color: AgentColor | undefined;
  readonly agentType: string;
  readonly state: RosterState;
  /** Its depth below the lead. */
  readonly depth: number;
  /** The session whose log contains it; undefined for a member without any events here. */
  readonly session: SessionId | undefined;
  readonly agent: AgentView | undefined;
  readonly member: (MemberView & { readonly team: string }) | undefined;
}

export type RosterState =
  | "starting"
  | "working"
  | "tool"
  | "asking"
  | "waiting"
  | "idle"
  | "ended"
  | "failed"
  | "stopped";

/** The lead has one name everywhere; in its team's files it is `team-lead`. */
export const displayName = (name: string): string => (name === teamLead ? "lead" : name);

type Views = ReadonlyMap<SessionId, SessionView>;

/** All agents of a session: its lead, then each member with its subagents, then the lead's own subagents. */
export function useRoster(session: SessionId): readonly RosterEntry[] {
  const views = useDashboard((state) => state.views);
  const sessions = useDashboard((state) => state.sessions);
  return useMemo(() => rosterOf(views, session, sessions ?? []), [views, session, sessions]);
}

export function rosterOf(
  views: Views,
  session: SessionId,
  sessions: readonly Pick<SessionListing, "id" | "state">[],
): readonly RosterEntry[] {
  const view = views.get(session) ?? emptyView;
  const lead = leadOf(view);
  const isRunning = (id: SessionId) => sessions.find((each) => each.id === id)?.state !== "stored";
  const stateIn = (id: SessionId, agent: AgentView) => stateOf(agent, isRunning(id) || isRunning(session));
  const members = [...view.teams.values()].flatMap((team) =>
    team.members
      // Only the team's information is known about a session on another machine.
      .filter((member) => !lead || (member.role !== "lead" && member.sessionId !== session))
      .map((member) => ({ ...member, team: team.name })),
  );
  return [
    ...(lead
      ? [agentEntry(lead, { session, kind: "lead", depth: 0, state: stateIn(session, lead) }, leadColor(view))]
      : []),
    ...members.flatMap((member) => memberEntries(member, views, stateIn)),
    ...subagentEntries(view, session, { depth: 1, stateIn }),
  ];
}

/** If the session belongs to a member, its lead has that member's colour. */
function leadColor(view: SessionView): string | undefined {
  for (const { team, name } of view.memberships.values()) {
    const color = view.teams.get(team)?.members.find((member) => member.name === name)?.color;
    if (color !== undefined) return color;
  }
  return undefined;
}

type StateIn = (id: SessionId, agent: AgentView) => RosterState;

function memberEntries(member: MemberView & { team: string }, views: Views, stateIn: StateIn): RosterEntry[] {
  const session = member.sessionId;
  const view = session && views.get(session);
  const agent = view && leadOf(view);
  const entry: RosterEntry = {
    key: `${member.name}@${member.team}`,
    kind: member.role === "lead" ? "lead" : "teammate",
    name: displayName(member.name),
    color: colorOf(member.color),
    agentType: member.agentType ?? agent?.agentType ?? "",
    state: memberState(member) ?? (session && agent ? stateIn(session, agent) : stateFromMember[member.state]),
    depth: member.role === "lead" ? 0 : 1,
    session,
    agent,
    member,
  };
  return [entry, ...(session && view ? subagentEntries(view, session, { depth: 2, stateIn }) : [])];
}

function subagentEntries(
  view: SessionView,
  session: SessionId,
  { depth, stateIn }: { depth: number; stateIn: StateIn },
): RosterEntry[] {
  const lead = leadOf(view);
  const below = [...itemsOf(view.agents)].filter((agent) => agent !== lead && agent.session === session);
  return below.map((agent, index) =>
    agentEntry(
      agent,
      {
        session,
        kind: "sub-agent",
        depth: depth + Math.max(0, agent.path.split("/").length - 2),
        state: stateIn(session, agent),
      },
      AgentColor.options[index % AgentColor.options.length],
    ),
  );
}

function agentEntry(
  agent: AgentView,
  place: Pick<RosterEntry, "session" | "kind" | "depth" | "state">,
  color: string | undefined,
): RosterEntry {
  const name = agent.path.split("/").at(-1) ?? agent.path;
  return { key: agent.id, name, color: colorOf(color), agentType: agent.agentType, agent, member: undefined, ...place };
}

const colorOf = (color: string | undefined): AgentColor | undefined =>
  AgentColor.options.find((known) => known === color);

/** The state that the team knows better than the member's log; undefined if the log is better. */
function memberState({ state, ended, alive }: MemberView): RosterState | undefined {
  if (ended !== undefined) return ended === "shutdown" ? "ended" : ended === "killed" ? "stopped" : "failed";
  if (state === "ended") return "ended";
  return alive === "dead" ? "stopped" : undefined;
}

/** States for members whose log is not available here. */
const stateFromMember: Readonly<Record<MemberView["state"], RosterState>> = {
  starting: "starting",
  working: "working",
  waiting: "asking",
  idle: "idle",
  draining: "working",
  ended: "ended",
};

function stateOf(agent: AgentView, isRunning: boolean): RosterState {
  const { status } = agent;
  switch (status.kind) {
    case "starting":
      return isRunning ? "starting" : "stopped";
    case "running": {
      if (!isRunning) return "stopped";
      const { kind } = activityOf(agent);
      if (kind === "calls") return "tool";
      return kind === "waiting" || kind === "retrying" ? "waiting" : "working";
    }
    case "waiting":
      return isRunning ? "asking" : "stopped";
    case "idle":
      return status.reason === "failed" ? "failed" : "idle";
    case "stopped":
      return status.outcome === "completed" ? "ended" : status.outcome === "failed" ? "failed" : "stopped";
  }
}
