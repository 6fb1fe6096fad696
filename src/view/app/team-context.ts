import { teamLead } from "../../protocol/index.ts";
import type { Membership, SessionView } from "../session/session-view.ts";
import type { MemberView } from "../session/team-view.ts";

/** The team this session belongs to. Where it disagrees with the tasks for a moment, they are right. */
export interface TeamContext {
  readonly teamName: string;
  readonly leadAgentId: string;
  readonly selfAgentId: string;
  readonly selfAgentName: string;
  readonly selfAgentColor: string | undefined;
  readonly isLeader: boolean;
  /** By `name@team`, without the lead and without this session's own agent. */
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

/** Who this session is in a team when it starts; its log says the same once it has one. */
export interface Self {
  readonly team: string;
  readonly name: string;
  readonly color?: string | undefined;
}

/**
 * Found in the session's own log, which is how a resumed session has it back; a fresh one has it from how it was started.
 * Of several teams it is the one joined last.
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
