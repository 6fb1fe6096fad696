import { useMemo } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { leadOf, sessionSpending } from "../../../src/view/index.ts";
import { formatDuration, formatMoney } from "../parts/format-amounts.ts";
import { hrefOf } from "../route.ts";
import { useApprovals } from "../state/approvals.ts";
import { useDashboard, useSessionView } from "../state/dashboard-store.ts";
import { useDisplayedTime } from "../state/use-displayed-time.ts";
import { type RosterState, useRoster } from "../state/roster.ts";
import { sessionTitle } from "./session-name.ts";

/** How far the session is, in one line. Each part leads to the view that tells more. */
export function StatusStrip({ session }: { session: SessionId }) {
  const listing = useDashboard((state) => state.sessions?.find(({ id }) => id === session));
  const view = useSessionView(session);
  const roster = useRoster(session);
  const { now } = useDisplayedTime(session, 5_000);
  const approvals = useApprovals(session).length;
  const lead = leadOf(view);
  const count = (...states: RosterState[]) => roster.filter(({ state }) => states.includes(state)).length;
  const [working, failed] = [count("starting", "working", "tool", "waiting"), count("failed")];
  const tasks = [...view.tasks.values()].flat().filter(({ status }) => status !== "deleted");
  const done = tasks.filter(({ status }) => status === "completed").length;
  const branches = roster.filter(({ member }) => member?.worktreePath !== undefined).length;
  const startedAt = listing?.startedAt ?? lead?.startedAt;
  const end = listing?.state === "stored" ? Date.parse(lead?.updatedAt ?? listing.updatedAt) : now;
  return (
    <section className="strip" aria-label="Status">
      <a className="strip-title" href={hrefOf(session, "transcript")}>
        {sessionTitle(listing)}
      </a>
      {startedAt !== undefined && (
        <a href={hrefOf(session, "timeline")}>{formatDuration(end - Date.parse(startedAt))}</a>
      )}
      {working > 0 && (
        <a href={hrefOf(session, "team")} data-kind="working">
          {working} working
        </a>
      )}
      {approvals > 0 && (
        <a href={hrefOf(session, "approvals")} data-kind="asking">
          {approvals} asking
        </a>
      )}
      {failed > 0 && (
        <a href={hrefOf(session, "team")} data-kind="failed">
          {failed} failed
        </a>
      )}
      {tasks.length > 0 && (
        <a href={hrefOf(session, "tasks")}>
          tasks {done}/{tasks.length}
        </a>
      )}
      <CostPart session={session} />
      {branches > 0 && (
        <a href={hrefOf(session, "worktrees")}>
          {branches} {branches === 1 ? "branch" : "branches"}
        </a>
      )}
    </section>
  );
}

/** The cost of the session and its team, and the budget if there is one. */
function CostPart({ session }: { session: SessionId }) {
  const views = useDashboard((state) => state.views);
  const budget = useDashboard((state) => state.folds.get(session)?.maxBudgetUsd);
  const costUsd = useMemo(
    () => [...views.values()].reduce((sum, view) => sum + sessionSpending(view).total.costUsd, 0),
    [views],
  );
  if (costUsd === 0 && budget === undefined) return null;
  return (
    <a href={hrefOf(session, "cost")}>
      {formatMoney(costUsd)}
      {budget !== undefined && ` of ${formatMoney(budget)}`}
    </a>
  );
}
