import { useEffect, useRef, useState } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { useDashboard } from "./dashboard-store.ts";

/** What is stored of a session is still coming in. */
export const useIsLoading = (session: SessionId): boolean =>
  useDashboard(
    ({ caughtUp, missing: gone, replayAt }) => replayAt === undefined && !caughtUp.has(session) && !gone.has(session),
  );

const everyMs = 300;

/** A value as it is; while a long session is being read, as it was a moment ago, so that drawing does not hold up reading. */
export function useThrottledWhileLoading<T>(session: SessionId, value: T): T {
  const isLoading = useIsLoading(session);
  const [shown, setShown] = useState<{ readonly value: T }>({ value });
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    if (!isLoading) return;
    const timer = setInterval(() => setShown({ value: latest.current }), everyMs);
    return () => clearInterval(timer);
  }, [isLoading]);
  return isLoading ? shown.value : value;
}
