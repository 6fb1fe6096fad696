import { joinClaudeTeam } from "../../session/index.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { runTeammateCommand } from "./run-teammate-command.ts";

/**
 * `troupe --team-store claude --team NAME` when Claude Code leads that team: runs one member of it in this process.
 * Returns when the member is asked to shut down, the team is gone, or the user leaves. Returns undefined if Claude Code
 * does not lead the team: then this process leads it.
 */
export async function runClaudeTeammate(prompt: string | undefined, flags: RunFlags): Promise<number | undefined> {
  const joined = await joinClaudeTeam({
    cwd: process.cwd(),
    env: process.env,
    flags,
    trust: flags.trust ? "all" : undefined,
    name: flags.as ?? "trouper",
    prompt,
  });
  if (joined === undefined) return undefined;
  const over = new AbortController();
  try {
    const { team, name } = joined;
    const isGone = joined.waitUntilGone(over.signal);
    return await runTeammateCommand({ team, name }, { flags, frontend: flags.print ? "lines" : "auto", until: isGone });
  } finally {
    over.abort();
    await joined.leave();
  }
}
