import { useMemo, useState } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { timelinePeriod } from "../../../../src/view/index.ts";
import { useThrottledWhileLoading, useIsLoading } from "../../state/use-throttled-while-loading.ts";
import type { SessionFolds } from "../../state/session-folds.ts";
import { useDisplayedTime } from "../../state/use-displayed-time.ts";
import { useRoster } from "../../state/roster.ts";
import { useEachFold } from "../../state/use-each-fold.ts";
import { laneRows } from "./lane-rows.ts";
import { Lanes } from "./lanes.tsx";
import { kindText, spanKinds } from "./span-text.ts";
import { TimeTotals } from "./time-totals.tsx";
import { firstWindow, fitted, periodOf, type TimeWindow, zoomed } from "./time-window.ts";
import "../../styles/tables.css";
import "./timeline-view.css";

const timelineOf = ({ timeline }: SessionFolds) => timeline;

/** The activity of all agents over time, one lane for each. */
export function TimelineView({ session }: { session: SessionId }) {
  const roster = useThrottledWhileLoading(session, useRoster(session));
  const timelines = useThrottledWhileLoading(session, useEachFold(timelineOf));
  const isReading = useIsLoading(session);
  const moment = useDisplayedTime(session, 250);
  const rows = useMemo(() => laneRows(timelines, roster), [timelines, roster]);
  const all = useMemo(() => timelinePeriod(timelines), [timelines]);
  const [chosen, setChosen] = useState<TimeWindow | undefined>(undefined);
  const isLive = moment.kind === "live";
  // A stored session ends with its last event.
  const last = all?.to ?? 0;
  const now = moment.kind === "stored" ? last : Math.max(moment.now, last);
  // Until the user chooses a window, a new session is shown from its start.
  const first = useMemo(() => all && firstWindow(all, { now, isLive }), [all, now, isLive]);

  const window = chosen ?? first;
  if (!all || !window) {
    return (
      <section className="timeline-view" aria-label="Timeline">
        <div className="timeline-bar">
          <h2>Timeline</h2>
          <p className="soft">{isReading ? "Reading…" : "No activity yet."}</p>
        </div>
      </section>
    );
  }
  const period = periodOf(window, now);
  const middle = window.follows ? now : (period.from + period.to) / 2;

  return (
    <section className="timeline-view" aria-label="Timeline">
      <div className="timeline-bar">
        <h2>Timeline</h2>
        <ul className="timeline-legend" aria-label="Legend">
          {spanKinds.map((kind) => (
            <li key={kind}>
              <span className="swatch" data-kind={kind} />
              {kindText[kind]}
            </li>
          ))}
        </ul>
        <div className="buttons" role="group" aria-label="Zoom">
          <button
            type="button"
            aria-label="Zoom out"
            title="Zoom out (-)"
            onClick={() => setChosen(zoomed(window, 1.6, { at: middle, now }))}
          >
            −
          </button>
          <button
            type="button"
            aria-label="Zoom in"
            title="Zoom in (+)"
            onClick={() => setChosen(zoomed(window, 1 / 1.6, { at: middle, now }))}
          >
            +
          </button>
          <button type="button" title="Everything (0)" onClick={() => setChosen(fitted({ from: all.from, to: now }))}>
            Fit
          </button>
          {isLive && (
            <button
              type="button"
              aria-pressed={window.follows}
              title="Follow new events (End)"
              onClick={() => setChosen({ ...window, end: period.to, follows: !window.follows })}
            >
              Follow
            </button>
          )}
        </div>
      </div>
      <Lanes {...{ rows, window, now, session, all }} kind={moment.kind} onWindow={setChosen} />
      <TimeTotals rows={rows} all={all} now={now} />
    </section>
  );
}
