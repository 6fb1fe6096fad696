import type { SessionId } from "../../../src/protocol/index.ts";
import { useDashboard } from "./dashboard-store.ts";

/** Why nothing can be asked of a session from here, for people; undefined where it can. */
export function useReadOnlyReason(session: SessionId): string | undefined {
  return useDashboard(({ replayAt, sessions }) => {
    if (replayAt !== undefined) return "This is a replay: nothing can be changed in the past.";
    const { state, isElsewhere } = sessions?.find(({ id }) => id === session) ?? {};
    if (isElsewhere) return "This session is on another machine: what the bus has of it can be looked at here.";
    if (state === "reachable") return undefined;
    return state === "open"
      ? "The process that has this session open cannot be reached from here: use its terminal."
      : `Nobody has this session open: troupe --resume ${session} goes on with it.`;
  });
}
