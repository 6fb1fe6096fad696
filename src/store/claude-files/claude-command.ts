import type { Member, Team } from "../../protocol/index.ts";
import { leadSessionOf } from "./lead-session.ts";

/** Returns the command line that runs Claude Code as this member of a team that Troupe made. */
export function claudeCommand(team: Team, member: Pick<Member, "name" | "agentId" | "color">): string {
  const words = [
    ["--agent-id", member.agentId],
    ["--agent-name", member.name],
    ["--team-name", team.name],
    ["--agent-color", member.color ?? "blue"],
    ["--parent-session-id", leadSessionOf(team)],
  ];
  return ["claude", ...words.flat().map(quoted)].join(" ");
}

const quoted = (word: string): string =>
  /^[\w@.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
