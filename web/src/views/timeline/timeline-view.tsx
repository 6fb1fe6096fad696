import { useMemo, useState } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { joinMessageFlows, type Period, timelinePeriod } from "../../../../src/view/index.ts";
import { useSessionView } from "../../state/dashboard-store.ts";
import { useThrottledWhileLoading, useIsLoading } from "../../state/use-throttled-while-loading.ts";
import type { SessionFolds } from "../../state/session-folds.ts";
import { useDisplayedTime } from "../../state/use-displayed-time.ts";
import { type RosterEntry, useRoster } from "../../state/roster.ts";
import { useEachFold } from "../../state/use-each-fold.ts";
import { aliasesOf } from "../team/graph-edges.ts";
import { Brush } from "./brush.tsx";
import { laneRows, type LaneRow } from "./lane-rows.ts";
import { Lanes } from "./lanes.tsx";
import { kindText, spanKinds } from "./span-text.ts";
import { MarkList } from "./mark-list.tsx";
import { PathSummary } from "./path-summary.tsx";
import { marksIn, messagesIn, type Overlay, pathIn } from "./timeline-overlay.ts";
import { TimeTotals } from "./time-totals.tsx";
import { firstWindow, fitted, periodOf, type TimeWindow, zoomed } from "./time-window.ts";
import "../../styles/tables.css";
import "./timeline-view.css";

const messageFlowOf = ({ messageFlow }: SessionFolds) => messageFlow;
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
  const [shows, setShows] = useState({ mail: false, path: false });
  const isLive = moment.kind === "live";
  // A stored session ends with its last event.
  const last = all?.to ?? 0;
  const now = moment.kind === "stored" ? last : Math.max(moment.now, last);
  // Until the user chooses a window, a new session is shown from its start.
  const first = useMemo(() => all && firstWindow(all, { now, isLive }), [all, now, isLive]);

  // Rounded, so that the whole run is not searched again all the time.
  const until = Math.max(last, Math.floor(now / 2_000) * 2_000);
  const whole = useMemo(() => all && { from: all.from, to: until }, [all, until]);
  const overlay = useOverlay(session, { rows, roster, all: whole, shows });
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
        <div className="buttons" role="group" aria-label="Show">
          <button
            type="button"
            aria-pressed={shows.mail}
            title="Arrows from sender to receiver"
            onClick={() => setShows({ ...shows, mail: !shows.mail })}
          >
            Mail
          </button>
          <button
            type="button"
            aria-pressed={shows.path}
            title="What everybody waited for"
            onClick={() => setShows({ ...shows, path: !shows.path })}
          >
            Critical path
          </button>
        </div>
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
      <Lanes {...{ rows, window, now, session, all, overlay }} kind={moment.kind} onWindow={setChosen} />
      <div className="timeline-foot">
        <Brush rows={rows} marks={overlay.marks} all={whole ?? all} period={period} onWindow={setChosen} />
        {shows.path && <PathSummary rows={rows} path={overlay.path} />}
        <MarkList marks={overlay.marks} rows={rows} session={session} />
        <TimeTotals rows={rows} all={all} now={now} />
      </div>
    </section>
  );
}

interface OverlayOptions {
  readonly rows: readonly LaneRow[];
  readonly roster: readonly RosterEntry[];
  readonly all: Period | undefined;
  readonly shows: { readonly mail: boolean; readonly path: boolean };
}

/** The marks, and the arrows and the path if they are shown. */
function useOverlay(session: SessionId, { rows, roster, all, shows }: OverlayOptions): Overlay {
  const view = useSessionView(session);
  const flows = useThrottledWhileLoading(session, useEachFold(messageFlowOf));
  const marks = useMemo(() => marksIn(rows), [rows]);
  const isNeeded = shows.mail || shows.path;
  const messages = useMemo(
    () => (isNeeded ? messagesIn(rows, joinMessageFlows(flows).recent, aliasesOf(roster, view)) : []),
    [isNeeded, rows, roster, view, flows],
  );
  const path = useMemo(() => (shows.path && all ? pathIn(rows, messages, all) : []), [shows.path, rows, messages, all]);
  return useMemo(() => ({ marks, path, messages: shows.mail ? messages : [] }), [marks, path, messages, shows.mail]);
}
