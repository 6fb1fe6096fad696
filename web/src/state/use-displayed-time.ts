import type { SessionId } from "../../../src/protocol/index.ts";
import { useNow } from "../parts/use-now.ts";
import { useDashboard } from "./dashboard-store.ts";

/** The time that is drawn, and what it is: it goes on by itself, or it is where a replay or a stored session has come to. */
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
