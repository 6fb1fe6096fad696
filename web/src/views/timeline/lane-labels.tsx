import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { AgentName } from "../../parts/agent-name.tsx";
import { hrefOf } from "../../route.ts";
import { axisHeight, laneHeight, type LaneRow } from "./lane-rows.ts";

interface Props {
  readonly rows: readonly LaneRow[];
  readonly session: SessionId;
  /** The visible part, in pixels. */
  readonly top: number;
  readonly height: number;
}

/** The names of the agents beside their lanes, as links to their transcripts. */
export function LaneLabels({ rows, session, top, height }: Props) {
  return (
    <ul className="timeline-labels" aria-label="Lanes">
      {rows.map((row, index) => {
        const y = axisHeight + index * laneHeight;
        if (y < top - 400 || y > top + height + 400) return null;
        return (
          <li key={row.agent} style={{ top: y, height: laneHeight }} data-depth={Math.min(row.entry?.depth ?? 0, 3)}>
            <a href={hrefOf(session, "transcript", { agent: row.agent })}>
              {row.entry ? <AgentName entry={row.entry} /> : visibleLine(row.agent)}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
