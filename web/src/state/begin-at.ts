import type { Route } from "../route.ts";
import { type DashboardState, emptyDashboard } from "./dashboard-state.ts";
import { lookAt } from "./fold-envelopes.ts";

/** What the page begins with at an address. */
export function beginAt(route: Route): DashboardState {
  if (route.kind !== "session") return emptyDashboard;
  const state = { ...emptyDashboard, selected: route.session };
  return route.view === "transcript" ? lookAt(state, route.session, route.agent) : state;
}
