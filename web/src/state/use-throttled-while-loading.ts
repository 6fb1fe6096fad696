import { useEffect, useRef, useState } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { useDashboard } from "./dashboard-store.ts";

/** True while the stored events of a session are still being loaded. */
export const useIsLoading = (session: SessionId): boolean =>
  useDashboard(
    ({ caughtUp, missing: gone, replayAt }) => replayAt === undefined && !caughtUp.has(session) && !gone.has(session),
  );

const everyMs = 300;

/** Returns the value, throttled while a long session is loaded, so that drawing does not slow down loading. */
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
