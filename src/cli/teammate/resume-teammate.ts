import { TroupeError } from "../../protocol/index.ts";
import { findTeammateOfSession } from "../../session/index.ts";
import { openTeams } from "../team/open-teams.ts";

/** Goes on with the session of a teammate as that teammate, in this terminal. Undefined where it is no teammate's. */
export async function resumeTeammate(sessionId: string): Promise<number | undefined> {
  const { teams, sessions } = await openTeams();
  const joined = await sessions.readLog(sessionId, { only: (type) => type === "team.joined" });
  const owner = await findTeammateOfSession(sessionId, joined, teams);
  // What runs elsewhere has only its log here.
  if (!owner || owner.member.backendType === "remote") return undefined;
  const { team, member } = owner;
  const stored = await teams.open(team);
  try {
    const presence = await stored.presence.look(member.name);
    if (presence && presence.alive !== "dead" && presence.state !== "ended")
      throw new TroupeError("team", `${member.name} of ${team} is there already, in process ${presence.pid}.`);
    if (member.ended) await stored.record.change(member.name, { ended: null });
  } finally {
    await stored.close();
  }
  const { runTeammateCommand: runTeammate } = await import("./run-teammate-command.ts");
  return runTeammate({ team, name: member.name });
}
