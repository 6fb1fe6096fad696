import type { SessionId } from "../../../src/protocol/index.ts";
import { useNow } from "../parts/use-now.ts";
import { useDashboard } from "./dashboard-store.ts";

/** The time that is drawn, and whether it goes on by itself. */
export interface Moment {
  readonly now: number;
  readonly isLive: boolean;
}

/** Now; in a replay the moment it has come to. A session that no process has open stands still. */
export function useMoment(session: SessionId, everyMs: number): Moment {
  const replayAt = useDashboard((state) => state.replayAt);
  const isStored = useDashboard((state) => state.sessions?.find(({ id }) => id === session)?.state === "stored");
  const now = useNow(everyMs);
  return replayAt === undefined ? { now, isLive: !isStored } : { now: Date.parse(replayAt), isLive: false };
}
