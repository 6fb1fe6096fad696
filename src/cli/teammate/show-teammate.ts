import type { RunningTeammate } from "../../session/index.ts";
import { createTuiOptions } from "../run/tui-options.ts";
import type { Signals } from "../signals.ts";

/**
 * Shows a teammate in the terminal of this process, with the same UI as a lead. Resolves when it has ended or the user
 * has left.
 */
export async function showTeammate(teammate: RunningTeammate, signals: Signals): Promise<"ended" | "left"> {
  const { runTui } = await import("../../tui/index.ts");
  const { member, session } = teammate;
  const team = member.agentId.slice(member.name.length + 1);
  const done = new AbortController();
  const ended = teammate.ended.finally(() => done.abort());
  // A teammate cannot switch to another session: that session would not belong to the team.
  const setNext = () => undefined;
  const tuiOptions = await createTuiOptions({
    session,
    flags: {},
    signal: AbortSignal.any([signals.leaving, done.signal]),
    setNext,
  });
  await runTui({ ...tuiOptions, self: { team, name: member.name, color: member.color } });
  if (!done.signal.aborted) return "left";
  await ended;
  return "ended";
}
