import { type Event, type Member, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { TeamStore } from "../../store/index.ts";

export interface TeammateSession {
  readonly team: string;
  readonly member: Member;
  readonly leadSession: SessionId | undefined;
}

/** Of which teammate a session is, by its log; undefined for any other, and where its team does not know it any more. */
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

/** A teammate goes on as a member of its team: as a session by itself it would have its memory, and neither mail nor tasks. */
export async function refuseTeammateSession(
  sessionId: string,
  events: readonly { readonly event: Event }[],
  teams: TeamStore,
): Promise<void> {
  const teammate = await findTeammateOfSession(sessionId, events, teams);
  if (!teammate) return;
  const { team, member, leadSession } = teammate;
  const lead = leadSession === undefined ? "" : `'troupe --resume ${leadSession}' brings back its team, `;
  throw new TroupeError(
    "team",
    `${sessionId} is the session of ${member.name}, a teammate of ${team}, and goes on as that: ${lead}'troupe team respawn ${team} ${member.name}' this one alone.`,
  );
}
