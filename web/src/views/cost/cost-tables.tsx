import { cachedShare, type CostSum } from "../../../../src/view/index.ts";
import { countWords, moneyWords } from "../../parts/amounts.ts";
import { amountWords } from "./cost-chart.tsx";
import type { CostGroup } from "./cost-groups.ts";
import { percentWords } from "./cost-totals.tsx";
import { type Measure, type Stack, thinned } from "./stack.ts";

interface Props {
  readonly title: string;
  readonly head: string;
  /** What the second column says. */
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
    countWords(sum.requests),
    countWords(usage.inputTokens),
    countWords(usage.cacheReadTokens),
    countWords(usage.cacheWriteTokens),
    countWords(usage.outputTokens),
    share === undefined ? "-" : percentWords(share),
    sum.lostAttempts === 0 ? "-" : `${sum.lostAttempts} (${moneyWords(sum.lostUsd)})`,
    moneyWords(sum.costUsd),
  ];
  return cells.map((words, index) => (
    // Columns have no other name than their place.
    // oxlint-disable-next-line react/no-array-index-key
    <td key={index} className="number">
      {words}
    </td>
  ));
}

/** What the chart shows, in numbers. */
export function TimeTable({ stack, measure }: { stack: Stack; measure: Measure }) {
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
            {thinned(stack, 20).map((at) => (
              <tr key={at}>
                <th scope="row">{new Date(stack.times[at] ?? 0).toLocaleTimeString("en-GB")}</th>
                {stack.layers.map(({ key, sums }) => (
                  <td key={key} className="number">
                    {amountWords(sums[at] ?? 0, measure)}
                  </td>
                ))}
                <td className="number">{amountWords(stack.totals[at] ?? 0, measure)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
