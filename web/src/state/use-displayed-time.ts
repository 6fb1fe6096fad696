import type { SessionId } from "../../../src/protocol/index.ts";
import { useNow } from "../parts/use-now.ts";
import { useDashboard } from "./dashboard-store.ts";

/** The displayed time. It advances by itself, or is the position of a replay or the end of a stored session. */
export interface DisplayedTime {
  readonly now: number;
  readonly kind: "live" | "replay" | "stored";
}

export function useDisplayedTime(session: SessionId, everyMs: number): DisplayedTime {
  const replayAt = useDashboard((state) => state.replayAt);
  const isStored = useDashboard((state) => state.sessions?.find(({ id }) => id === session)?.state === "stored");
  const now = useNow(everyMs);
  if (replayAt !== undefined) return { now: Date.parse(replayAt), kind: "replay" };
  return { now, kind: isStored ? "stored" : "live" };
}
