import { cachedShare, type CostSum } from "../../../../src/view/index.ts";
import { formatCount, formatMoney } from "../../parts/format-amounts.ts";
import { formatAmount } from "./cost-chart.tsx";
import type { CostGroup } from "./cost-groups.ts";
import { formatPercent } from "./cost-totals.tsx";
import { type Measure, type StackedSeries, thinOut } from "./stacked-series.ts";

interface Props {
  readonly title: string;
  readonly head: string;
  /** The content of the second column. */
  readonly note: string;
  readonly groups: readonly CostGroup[];
  readonly total: CostSum;
}

export function CostTable({ title, head, note, groups, total }: Props) {
  return (
    <section className="cost-block" aria-label={title}>
      <h3>{title}</h3>
      <div className="table-scroll" role="region" aria-label={`${title}, table`} tabIndex={0}>
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col">{note}</th>
              {["Requests", "Input", "Cache read", "Cache write", "Output", "Cached", "Lost", "Cost"].map((words) => (
                <th scope="col" key={words} className="number">
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={group.key}>
                <th scope="row">
                  <span className="cost-who">
                    <span className="cost-swatch" data-color={group.color} />
                    {group.name}
                  </span>
                </th>
                <td className="cost-note">{group.note}</td>
                <Sums sum={group} />
              </tr>
            ))}
          </tbody>
          {groups.length > 1 && (
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <td />
                <Sums sum={total} />
              </tr>
            </tfoot>
          )}
        </table>
      </div>
    </section>
  );
}

function Sums({ sum }: { sum: CostSum }) {
  const { usage } = sum;
  const share = cachedShare(sum);
  const cells = [
    formatCount(sum.requests),
    formatCount(usage.inputTokens),
    formatCount(usage.cacheReadTokens),
    formatCount(usage.cacheWriteTokens),
    formatCount(usage.outputTokens),
    share === undefined ? "-" : formatPercent(share),
    sum.lostAttempts === 0 ? "-" : `${sum.lostAttempts} (${formatMoney(sum.lostUsd)})`,
    formatMoney(sum.costUsd),
  ];
  return cells.map((words, index) => (
    // Columns have no other name than their place.
    // oxlint-disable-next-line react/no-array-index-key
    <td key={index} className="number">
      {words}
    </td>
  ));
}

/** The chart's data as a table. */
export function TimeTable({ stack, measure }: { stack: StackedSeries; measure: Measure }) {
  return (
    <details className="cost-block">
      <summary>Over time, in numbers</summary>
      <div className="table-scroll" role="region" aria-label="Over time, table" tabIndex={0}>
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">Until</th>
              {stack.layers.map(({ key, name }) => (
                <th scope="col" key={key} className="number">
                  {name}
                </th>
              ))}
              <th scope="col" className="number">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {thinOut(stack, 20).map((at) => (
              <tr key={at}>
                <th scope="row">{new Date(stack.times[at] ?? 0).toLocaleTimeString("en-GB")}</th>
                {stack.layers.map(({ key, sums }) => (
                  <td key={key} className="number">
                    {formatAmount(sums[at] ?? 0, measure)}
                  </td>
                ))}
                <td className="number">{formatAmount(stack.totals[at] ?? 0, measure)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
