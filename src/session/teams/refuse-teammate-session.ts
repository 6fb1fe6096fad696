import { type Event, type Member, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { TeamStore } from "../../store/index.ts";

export interface TeammateSession {
  readonly team: string;
  readonly member: Member;
  readonly leadSession: SessionId | undefined;
}

/**
 * Returns the teammate of a session by its log. Undefined for other sessions, and if the team no longer has that
 * member.
 */
export async function findTeammateOfSession(
  sessionId: string,
  events: readonly { readonly event: Event }[],
  teams: TeamStore,
): Promise<TeammateSession | undefined> {
  const joined = events.map(({ event }) => event).findLast((event) => event.type === "team.joined");
  if (joined?.type !== "team.joined" || joined.role !== "teammate") return undefined;
  const { team, name } = joined;
  if (!(await teams.list()).some((known) => known.name === team)) return undefined;
  const stored = await teams.open(team);
  try {
    const { members, leadSessionId: leadSession } = await stored.record.read();
    const member = members.find((each) => each.name === name && each.sessionId === sessionId);
    return member && { team, member, leadSession };
  } finally {
    await stored.close();
  }
}

/** Throws for a teammate's session: resumed alone, it would have its conversation but neither mail nor tasks. */
export async function refuseTeammateSession(
  sessionId: string,
  events: readonly { readonly event: Event }[],
  teams: TeamStore,
): Promise<void> {
  const teammate = await findTeammateOfSession(sessionId, events, teams);
  if (!teammate) return;
  const { team, member, leadSession } = teammate;
  const lead = leadSession === undefined ? "" : `, or resume its lead with 'troupe --resume ${leadSession}'`;
  throw new TroupeError(
    "team",
    `cannot resume session ${sessionId} alone: it belongs to teammate ${member.name} of team ${team}. Run 'troupe team respawn ${team} ${member.name}'${lead}.`,
  );
}
