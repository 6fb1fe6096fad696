import type { RunningTeammate } from "../session/index.ts";
import { openFace } from "./open-face.ts";
import type { Signals } from "./signals.ts";

/** Shows a teammate in the terminal of this process, as a lead is shown. Resolves when it has ended or the user has left. */
export async function showTeammate(teammate: RunningTeammate, signals: Signals): Promise<"ended" | "left"> {
  const { runTui } = await import("../tui/index.ts");
  const { member, session } = teammate;
  const team = member.agentId.slice(member.name.length + 1);
  const over = new AbortController();
  const ended = teammate.ended.finally(() => over.abort());
  // Another session in the place of a teammate's would be nobody's.
  const setNext = () => undefined;
  const face = await openFace({ session, flags: {}, signal: AbortSignal.any([signals.left, over.signal]), setNext });
  await runTui({ ...face, self: { team, name: member.name, color: member.color } });
  if (!over.signal.aborted) return "left";
  await ended;
  return "ended";
}
