import { createContext, useContext, useSyncExternalStore } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { createStore, emptyView, type SessionView, type Store } from "../../../src/view/index.ts";
import { type DashboardState, emptyDashboard } from "./dashboard-state.ts";

/** The store that is drawn here: the page's own, or a replay's inside a replay. */
export const DashboardContext = createContext<Store<DashboardState>>(createStore(emptyDashboard));

/** Draws again when the selector returns another object: it must not create new ones. */
export function useDashboard<T>(selector: (state: DashboardState) => T): T {
  const store = useContext(DashboardContext);
  return useSyncExternalStore(store.subscribe, () => selector(store.getState()));
}

export function useSessionView(session: SessionId): SessionView {
  return useDashboard((state) => state.views.get(session) ?? emptyView);
}
