import { useMemo, useState } from "react";
import type { Period, SpanKind } from "../../../../src/view/index.ts";
import { AgentName } from "../../parts/agent-name.tsx";
import { formatDuration } from "../../parts/format-amounts.ts";
import { type LaneRow, rowSpans } from "./lane-rows.ts";
import { kindText, spanKinds } from "./span-text.ts";

/** The time of each agent by activity, as a table. Computed only while it is open. */
export function TimeTotals({ rows, all, now }: { rows: readonly LaneRow[]; all: Period; now: number }) {
  // Rounded, so that the totals are not computed again every second.
  const coarse = Math.ceil(now / 5_000) * 5_000;
  const [isOpen, setOpen] = useState(false);
  const sums = useMemo(
    () =>
      isOpen ? rows.map((row) => ({ row, sum: sumOf(row, { from: all.from, to: Math.max(all.to, coarse) }) })) : [],
    [isOpen, rows, all.from, all.to, coarse],
  );
  return (
    <details className="time-sums" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Time by activity</summary>
      <div className="table-scroll" role="region" aria-label="Time by agent" tabIndex={0}>
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              {spanKinds.map((kind) => (
                <th scope="col" key={kind} className="number">
                  {kindText[kind]}
                </th>
              ))}
              <th scope="col" className="number">
                calls
              </th>
            </tr>
          </thead>
          <tbody>
            {sums.map(({ row, sum }) => (
              <tr key={row.agent}>
                <th scope="row">{row.entry ? <AgentName entry={row.entry} /> : row.agent}</th>
                {spanKinds.map((kind) => (
                  <td key={kind} className="number">
                    {sum.ms[kind] === undefined ? "-" : formatDuration(sum.ms[kind])}
                  </td>
                ))}
                <td className="number">{row.entry?.agent?.toolCalls ?? "-"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function sumOf(row: LaneRow, period: Period): { ms: Partial<Record<SpanKind, number>> } {
  const ms: Partial<Record<SpanKind, number>> = {};
  for (const { kind, from, to } of rowSpans(row, period, period.to)) ms[kind] = (ms[kind] ?? 0) + to - from;
  return { ms };
}
