import { useMemo } from "react";
import type { DashboardState } from "./dashboard-state.ts";
import { useDashboard } from "./dashboard-store.ts";
import type { SessionFolds } from "./session-folds.ts";

/**
 * One fold of each open session: the selected one and those of its team. Returns the same list while no fold changes,
 * so that nothing is drawn again.
 */
export function useEachFold<T>(pick: (folds: SessionFolds) => T): readonly T[] {
  const selector = useMemo(() => {
    let last: readonly T[] = [];
    return ({ folds }: DashboardState): readonly T[] => {
      const next = Array.from(folds.values(), pick);
      if (next.length !== last.length || next.some((each, index) => each !== last[index])) last = next;
      return last;
    };
  }, [pick]);
  return useDashboard(selector);
}
