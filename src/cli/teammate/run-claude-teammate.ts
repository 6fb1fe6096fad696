import { joinClaudeTeam } from "../../session/index.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { runTeammateCommand } from "./run-teammate-command.ts";

/**
 * `troupe --team-store claude --team NAME` where Claude Code leads that team: this process is one member of it, until it is
 * asked to end, the team is gone, or its user leaves. Undefined if the team is ours to lead.
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
    return await runTeammateCommand({ team, name }, { frontend: flags.print ? "lines" : "auto", until: isGone });
  } finally {
    over.abort();
    await joined.leave();
  }
}
