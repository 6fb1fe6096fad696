import type { Route } from "../route.ts";
import { type DashboardState, emptyDashboard } from "./dashboard-state.ts";
import { openTranscript } from "./fold-envelopes.ts";

/** The initial state of the page for an address. */
export function initialState(route: Route): DashboardState {
  if (route.kind !== "session") return emptyDashboard;
  const state = { ...emptyDashboard, selected: route.session };
  return route.view === "transcript" && !route.isReplay ? openTranscript(state, route.session, route.agent) : state;
}
