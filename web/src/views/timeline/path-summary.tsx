import { useMemo } from "react";
import type { PathStep, SpanKind } from "../../../../src/view/index.ts";
import { AgentName } from "../../parts/agent-name.tsx";
import { formatDuration } from "../../parts/format-amounts.ts";
import type { LaneRow } from "./lane-rows.ts";

/** Number of parts that are named. */
const maxShown = 6;

/** The parts of the critical path, the longest first. */
export function PathSummary({ rows, path }: { rows: readonly LaneRow[]; path: readonly PathStep[] }) {
  const parts = useMemo(() => partsOf(path), [path]);
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <section className="path-summary" aria-label="Critical path">
      <h3>What everybody waited for</h3>
      <ol>
        {parts.slice(0, maxShown).map(({ lane, kind, ms }) => (
          <li key={`${lane} ${kind}`}>
            {kind === "permission" ? <strong>you</strong> : rows[lane]?.entry && <AgentName entry={rows[lane].entry} />}
            <span className="soft">{waitText[kind]}</span>
            <span className="number">
              {formatDuration(ms)} <span className="soft">{Math.round((ms / Math.max(1, total)) * 100)} %</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const waitText: Readonly<Record<SpanKind, string>> = {
  thinking: "thinking",
  tool: "in tools",
  permission: "to answer",
  model: "to begin",
  idle: "idle",
  stopped: "without a process",
};

function partsOf(path: readonly PathStep[]): readonly { lane: number; kind: SpanKind; ms: number }[] {
  const parts = new Map<string, { lane: number; kind: SpanKind; ms: number }>();
  for (const { lane, kind, from, to } of path) {
    const key = kind === "permission" ? kind : `${lane} ${kind}`;
    parts.set(key, { lane, kind, ms: (parts.get(key)?.ms ?? 0) + to - from });
  }
  return [...parts.values()].sort((a, b) => b.ms - a.ms);
}
