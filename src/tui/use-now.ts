import { useEffect, useState } from "react";
import { useFrontend } from "./app-context.ts";

/** Returns the current time, updated every second while ticking. */
export function useNow(isTicking: boolean): number {
  const { now } = useFrontend();
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => redraw((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now();
}
