import type { SessionId } from "../../../src/protocol/index.ts";
import { isFile } from "../parts/is-file.ts";
import { useDashboard } from "./dashboard-store.ts";

/** Why no command can be sent to a session from here; undefined if commands can be sent. */
export function useReadOnlyReason(session: SessionId): string | undefined {
  return useDashboard(({ replayAt, sessions }) => {
    if (replayAt !== undefined) return "This is a replay: the past cannot be changed.";
    if (isFile()) return "This file shows a session as it was.";
    const { state, isElsewhere } = sessions?.find(({ id }) => id === session) ?? {};
    if (isElsewhere) return "This session runs on another machine: only its data on the bus is visible here.";
    if (state === "reachable") return undefined;
    return state === "open"
      ? "Cannot reach the process that has this session open. Use its terminal."
      : `No process has this session open. Resume it with troupe --resume ${session}.`;
  });
}
