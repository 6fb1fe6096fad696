import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { AgentName } from "../../parts/agent-name.tsx";
import { formatClock } from "../../parts/format-amounts.ts";
import { hrefOf } from "../../route.ts";
import type { LaneRow } from "./lane-rows.ts";
import { markSigns, markText } from "./mark-text.ts";
import type { PlacedMark } from "./timeline-overlay.ts";

/** The marks as a list, each with a link to its event. */
export function MarkList({
  marks,
  rows,
  session,
}: {
  marks: readonly PlacedMark[];
  rows: readonly LaneRow[];
  session: SessionId;
}) {
  if (marks.length === 0) return null;
  return (
    <details className="time-sums">
      <summary>Events ({marks.length})</summary>
      <ul className="mark-list" aria-label="Events">
        {marks.map(({ kind, at, row, event, text, agent }) => {
          const entry = rows[row]?.entry;
          return (
            <li key={`${event} ${kind}`} data-kind={kind}>
              <time dateTime={new Date(at).toISOString()}>{formatClock(new Date(at).toISOString())}</time>
              <span className="mark-sign" aria-hidden="true">
                {markSigns[kind]}
              </span>
              {entry && <AgentName entry={entry} />}
              <a href={hrefOf(session, "transcript", { agent, at: event })}>{markText[kind]}</a>
              <span className="mark-words soft">{visibleLine(text)}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
