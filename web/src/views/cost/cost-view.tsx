import { memo, useMemo, useState } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { type CostSeries, joinCostSeries } from "../../../../src/view/index.ts";
import { useThrottledWhileLoading, useIsLoading } from "../../state/use-throttled-while-loading.ts";
import type { SessionFolds } from "../../state/session-folds.ts";
import { useDisplayedTime } from "../../state/use-displayed-time.ts";
import { type RosterEntry, useRoster } from "../../state/roster.ts";
import { useEachFold } from "../../state/use-each-fold.ts";
import { ChoiceGroup } from "../../parts/choice-group.tsx";
import { CostChart } from "./cost-chart.tsx";
import { type GroupBy, costGroups, totalOf } from "./cost-groups.ts";
import { CostTable, TimeTable } from "./cost-tables.tsx";
import { CostTotals } from "./cost-totals.tsx";
import { type Measure, stackSeries } from "./stacked-series.ts";
import "../../styles/tables.css";
import "./cost-view.css";

const costOf = ({ cost }: SessionFolds) => cost;

/** Spending of the session and its team: in total, by agent, by model, and over time. */
export function CostView({ session }: { session: SessionId }) {
  const all = useThrottledWhileLoading(session, useEachFold(costOf));
  const roster = useThrottledWhileLoading(session, useRoster(session));
  const isReading = useIsLoading(session);
  const { now, kind } = useDisplayedTime(session, 5_000);
  const series = useMemo(() => joinCostSeries(all), [all]);
  // Depends only on the agents and their names, not on their activity.
  const names = roster.map(({ agent, name, color }) => `${agent?.id} ${name} ${color}`).join("\n");
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const known = useMemo(() => roster, [names]);
  return (
    <section className="cost-view" aria-label="Cost">
      <h2>Cost</h2>
      {series.sums.values.length > 0 ? (
        <Spent series={series} roster={known} until={kind === "stored" ? 0 : now} />
      ) : (
        <p className="soft">{isReading ? "Reading…" : "No paid requests yet."}</p>
      )}
    </section>
  );
}

interface SpentProps {
  readonly series: CostSeries;
  readonly roster: readonly RosterEntry[];
  readonly until: number;
}

const Spent = memo(function Spent({ series, roster, until }: SpentProps) {
  const [by, setBy] = useState<GroupBy>("agent");
  const [chosen, setMeasure] = useState<Measure | undefined>(undefined);
  const groups = useMemo(
    () => ({ agent: costGroups(series, "agent", roster), model: costGroups(series, "model", roster) }),
    [series, roster],
  );
  const total = useMemo(() => totalOf(groups.model), [groups]);
  // A model without a known price costs nothing here, but still uses tokens.
  const measure = chosen ?? (total.costUsd > 0 ? "usd" : "tokens");
  const stack = useMemo(
    () => stackSeries(series, { groups: groups[by], by, measure, until }),
    [series, groups, by, measure, until],
  );
  return (
    <>
      <CostTotals total={total} budgetUsd={series.budgetUsd} />
      <section className="cost-block" aria-label="Over time">
        <div className="cost-bar">
          <h3>Over time</h3>
          <ChoiceGroup label="By" value={by} onChange={setBy} options={{ agent: "By agent", model: "By model" }} />
          <ChoiceGroup
            label="In"
            value={measure}
            onChange={setMeasure}
            options={{ usd: "Dollars", tokens: "Tokens" }}
          />
        </div>
        <CostChart stack={stack} measure={measure} budgetUsd={series.budgetUsd} />
        <ul className="cost-legend">
          {stack.layers.map(({ key, name, color }) => (
            <li key={key}>
              <span className="cost-swatch" data-color={color} />
              {name}
            </li>
          ))}
        </ul>
      </section>
      <CostTable title="By agent" head="Agent" note="Models" groups={groups.agent} total={total} />
      <CostTable title="By model" head="Model" note="Used by" groups={groups.model} total={total} />
      <TimeTable stack={stack} measure={measure} />
    </>
  );
});
