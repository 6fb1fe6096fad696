import { teamLead } from "../../protocol/index.ts";
import type { Membership, SessionView } from "../session/session-view.ts";
import type { MemberView } from "../session/team-view.ts";

/** The team of this session. If it disagrees with the rows, the rows are right. */
export interface TeamContext {
  readonly teamName: string;
  readonly leadAgentId: string;
  readonly selfAgentId: string;
  readonly selfAgentName: string;
  readonly selfAgentColor: string | undefined;
  readonly isLeader: boolean;
  /** By `name@team`, without the lead and this session's own agent. */
  readonly teammates: ReadonlyMap<string, TeammateInfo>;
}

export interface TeammateInfo {
  readonly name: string;
  readonly agentType: string | undefined;
  readonly color: string | undefined;
  readonly tmuxPaneId: string | undefined;
  readonly cwd: string | undefined;
  readonly worktreePath: string | undefined;
  readonly spawnedAt: string | undefined;
}

/** The role of this session in a team at its start. Later its log contains the same. */
export interface Self {
  readonly team: string;
  readonly name: string;
  readonly color?: string | undefined;
}

/**
 * Reads the team from the session's log, so that a resumed session finds it again. A new session uses its start
 * options. Of several teams, the last joined one counts.
 */
export function teamContextOf(session: SessionView, self?: Self): TeamContext | undefined {
  const membership = [...session.memberships.values()].at(-1) ?? fromStart(self);
  if (!membership) return undefined;
  const { team, name } = membership;
  const members = session.teams.get(team)?.members ?? [];
  const own = members.find((member) => member.name === name);
  return {
    teamName: team,
    leadAgentId: `${teamLead}@${team}`,
    selfAgentId: `${name}@${team}`,
    selfAgentName: name,
    selfAgentColor: own?.color ?? (self?.name === name ? self.color : undefined),
    isLeader: membership.role === "lead",
    teammates: new Map(
      members
        .filter((member) => member.name !== name && member.role !== "lead")
        .map((member) => [`${member.name}@${team}`, infoOf(member)]),
    ),
  };
}

const fromStart = (self: Self | undefined): Membership | undefined =>
  self && { team: self.team, name: self.name, role: self.name === teamLead ? "lead" : "teammate" };

const infoOf = ({ name, agentType, color, tmuxPaneId, cwd, worktreePath, joinedAt }: MemberView): TeammateInfo => ({
  name,
  agentType,
  color,
  tmuxPaneId,
  cwd,
  worktreePath,
  spawnedAt: joinedAt,
});
