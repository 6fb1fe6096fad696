import { TroupeError } from "../protocol/index.ts";
import { findTeammateOfSession } from "../session/index.ts";
import { openTeams } from "./team/open-teams.ts";

/** Goes on with the session of a teammate as that teammate, in this terminal. Undefined where it is no teammate's. */
export async function resumeTeammate(sessionId: string): Promise<number | undefined> {
  const { teams, sessions } = await openTeams();
  const joined = await sessions.readLog(sessionId, { only: (type) => type === "team.joined" });
  const whose = await findTeammateOfSession(sessionId, joined, teams);
  // What runs elsewhere has only its log here.
  if (!whose || whose.member.backendType === "remote") return undefined;
  const { team, member } = whose;
  const stored = await teams.open(team);
  try {
    const there = await stored.presence.look(member.name);
    if (there && there.alive !== "dead" && there.state !== "ended")
      throw new TroupeError("team", `${member.name} of ${team} is there already, in process ${there.pid}.`);
    if (member.ended) await stored.record.change(member.name, { ended: null });
  } finally {
    await stored.close();
  }
  const { runTeammate } = await import("./teammate.ts");
  return runTeammate({ team, name: member.name });
}
