import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { formatCount, formatMoney } from "../../parts/format-amounts.ts";
import { useSize } from "../../parts/use-size.ts";
import { ticksOf, tickWords } from "../timeline/time-window.ts";
import { type Measure, roundUp, type StackedSeries } from "./stacked-series.ts";

interface Props {
  readonly stack: StackedSeries;
  readonly measure: Measure;
  readonly budgetUsd: number | undefined;
}

const height = 260;
const edge = { top: 14, right: 8, bottom: 22, left: 58 };

export const formatAmount = (amount: number, measure: Measure): string =>
  measure === "usd" ? formatMoney(amount) : formatCount(Math.round(amount));

/** Cumulative spending over time as stacked areas, with a line for the budget if it is in range. */
export function CostChart({ stack, measure, budgetUsd }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const width = useSize(place)?.width ?? 0;
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const { times, layers, totals } = stack;
  const [from, to, total] = [times[0] ?? 0, times.at(-1) ?? 0, totals.at(-1) ?? 0];
  const budget = measure === "usd" ? budgetUsd : undefined;
  const isInSight = budget !== undefined && total >= budget / 5;
  const top = roundUp(Math.max(total * 1.05, isInSight ? budget * 1.05 : 0));
  const x = (time: number) => edge.left + ((time - from) / Math.max(1, to - from)) * (width - edge.left - edge.right);
  const y = (amount: number) => height - edge.bottom - (amount / top) * (height - edge.top - edge.bottom);
  const last = times.length - 1;
  const at = chosen === undefined ? undefined : Math.max(1, Math.min(last, chosen));

  const point = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const time =
      from + ((event.clientX - left - edge.left) / Math.max(1, width - edge.left - edge.right)) * (to - from);
    const found = times.findIndex((each) => each >= time);
    setChosen(found < 0 ? last : found);
  };
  const onChartKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -last, End: last }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setChosen(Math.max(1, Math.min(last, (at ?? last) + step)));
  };

  let below = times.map(() => 0);
  const areas = layers.map((layer) => {
    const above = below.map((sum, index) => sum + (layer.sums[index] ?? 0));
    const forth = times.map((time, index) => `${x(time)} ${y(above[index] ?? 0)}`);
    const back = times.map((time, index) => `${x(time)} ${y(below[index] ?? 0)}`).reverse();
    below = above;
    return (
      <path key={layer.key} className="cost-area" data-color={layer.color} d={`M${[...forth, ...back].join("L")}Z`} />
    );
  });
  const ticks = ticksOf({ from, to }, Math.max(2, width / 110));
  return (
    <div className="cost-chart" ref={place}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="slider"
          tabIndex={0}
          aria-label="Spending over time; left and right move between points in time"
          aria-valuemin={1}
          aria-valuemax={last}
          aria-valuenow={at ?? last}
          aria-valuetext={pointText(stack, at ?? last, measure)}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setChosen(undefined)}
          onBlur={() => setChosen(undefined)}
          onKeyDown={onChartKey}
        >
          {[0, 0.25, 0.5, 0.75, 1].map((share) => (
            <g key={share} className="cost-scale">
              <line x1={edge.left} x2={width - edge.right} y1={y(share * top)} y2={y(share * top)} />
              <text x={edge.left - 8} y={y(share * top)} textAnchor="end" dominantBaseline="middle">
                {formatAmount(share * top, measure)}
              </text>
            </g>
          ))}
          {ticks.times.map((time) => (
            <text key={time} className="cost-tick" x={x(time)} y={height - 6} textAnchor="middle">
              {tickWords(time, ticks.step)}
            </text>
          ))}
          {areas}
          {isInSight && (
            <g className="cost-budget">
              <line x1={edge.left} x2={width - edge.right} y1={y(budget)} y2={y(budget)} />
              <text x={edge.left + 6} y={y(budget) - 5}>
                budget {formatMoney(budget)}
              </text>
            </g>
          )}
          {at !== undefined && (
            <line
              className="cost-cursor"
              x1={x(times[at] ?? 0)}
              x2={x(times[at] ?? 0)}
              y1={edge.top}
              y2={height - edge.bottom}
            />
          )}
        </svg>
      )}
      {at !== undefined && (
        <MomentCard stack={stack} at={at} measure={measure} isLeft={x(times[at] ?? 0) > width / 2} />
      )}
    </div>
  );
}

function pointText({ times, totals }: StackedSeries, at: number, measure: Measure): string {
  const when = new Date(times[at] ?? 0).toLocaleTimeString("en-GB");
  return `until ${when}: ${formatAmount(totals[at] ?? 0, measure)}`;
}

interface CardProps {
  readonly stack: StackedSeries;
  readonly at: number;
  readonly measure: Measure;
  readonly isLeft: boolean;
}

function MomentCard({ stack, at, measure, isLeft }: CardProps) {
  const rows = stack.layers.filter(({ sums }) => (sums[at] ?? 0) > 0).toReversed();
  return (
    <div className="cost-card" data-left={isLeft} aria-hidden="true">
      <p>
        <strong>{pointText(stack, at, measure)}</strong>
      </p>
      <ul>
        {rows.map(({ key, name, color, sums }) => (
          <li key={key}>
            <span className="cost-swatch" data-color={color} />
            <span>{name}</span>
            <span className="number">{formatAmount(sums[at] ?? 0, measure)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
