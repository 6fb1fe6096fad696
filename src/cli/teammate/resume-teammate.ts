import { TroupeError } from "../../protocol/index.ts";
import { findTeammateOfSession, type StoreOptions } from "../../session/index.ts";
import { openTeams } from "../team/open-teams.ts";

/**
 * Resumes a teammate's session in this terminal. Returns undefined if the session does not belong to a local teammate.
 */
export async function resumeTeammate(sessionId: string, flags: StoreOptions): Promise<number | undefined> {
  const { teams, sessions } = await openTeams(flags);
  const joined = await sessions.readLog(sessionId, { only: (type) => type === "team.joined" });
  const owner = await findTeammateOfSession(sessionId, joined, teams);
  // This machine has only the log of a remote member.
  if (!owner || owner.member.backendType === "remote") return undefined;
  const { team, member } = owner;
  const stored = await teams.open(team);
  try {
    const presence = await stored.presence.look(member.name);
    if (presence && presence.alive !== "dead" && presence.state !== "ended")
      throw new TroupeError(
        "team",
        `cannot resume ${member.name} of ${team}: it already runs in process ${presence.pid}.`,
      );
    if (member.ended) await stored.record.change(member.name, { ended: null });
  } finally {
    await stored.close();
  }
  const { runTeammateCommand: runTeammate } = await import("./run-teammate-command.ts");
  return runTeammate({ team, name: member.name }, { flags });
}
