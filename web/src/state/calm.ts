import { useEffect, useRef, useState } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { useDashboard } from "./dashboard-store.ts";

/** What is stored of a session is still coming in. */
export const useIsReading = (session: SessionId): boolean =>
  useDashboard(
    ({ caughtUp, gone, replayAt }) => replayAt === undefined && !caughtUp.has(session) && !gone.has(session),
  );

const everyMs = 300;

/** A value as it is; while a long session is being read, as it was a moment ago, so that drawing does not hold up reading. */
export function useCalm<T>(session: SessionId, value: T): T {
  const isReading = useIsReading(session);
  const [shown, setShown] = useState<{ readonly value: T }>({ value });
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    if (!isReading) return;
    const timer = setInterval(() => setShown({ value: latest.current }), everyMs);
    return () => clearInterval(timer);
  }, [isReading]);
  return isReading ? shown.value : value;
}
