import { useEffect, useMemo, useRef } from "react";
import { visibleLine } from "../../../../src/protocol/index.ts";
import { formatClock, formatDuration } from "../../parts/format-amounts.ts";
import type { TimelineMark } from "../../../../src/view/index.ts";
import type { Recording } from "../../replay/recording.ts";
import { Icon } from "../../parts/icon.tsx";
import { markText } from "../timeline/mark-text.ts";
import { eventText } from "./event-text.ts";
import { type Replay, speeds } from "./use-replay.ts";

interface Props {
  readonly recording: Recording;
  readonly replay: Replay;
  readonly marks: readonly TimelineMark[];
}

/** Moves through a recording: by time, by event, by mark, or as a playback. */
export function ReplayControls({ recording, replay, marks }: Props) {
  const { times, envelopes } = recording;
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const shown = envelopes[replay.count - 1];
  const at = new Date(replay.time).toISOString();
  const bars = useMemo(() => density(times, 160), [times]);
  const span = Math.max(1, last - first);
  useReplayKeys(replay);
  return (
    <section className="replay-controls" aria-label="Replay">
      <div className="replay-slider">
        <svg viewBox="0 0 160 10" preserveAspectRatio="none" aria-hidden="true">
          <path d={bars} />
        </svg>
        <div className="replay-marks">
          {marks.map(({ kind, at: time, text, event }) => (
            <button
              key={`${event} ${kind}`}
              type="button"
              tabIndex={-1}
              data-kind={kind}
              style={{ left: `${((time - first) / span) * 100}%` }}
              title={`${markText[kind]}: ${visibleLine(text)}`}
              aria-label={`Go to: ${markText[kind]}, ${visibleLine(text)}`}
              onClick={() => {
                replay.pause();
                replay.seek(time);
              }}
            />
          ))}
        </div>
        <input
          type="range"
          min={0}
          max={Math.max(1, last - first)}
          step="any"
          value={replay.time - first}
          aria-label="Moment"
          aria-valuetext={`${formatClock(at)}, event ${replay.count} of ${envelopes.length}`}
          onChange={(event) => {
            replay.pause();
            replay.seek(first + Number(event.currentTarget.value));
          }}
        />
      </div>
      <div className="replay-buttons">
        <button
          type="button"
          aria-label="Previous event"
          title="Previous event (,)"
          disabled={replay.count === 0}
          onClick={() => replay.step(-1)}
        >
          <Icon name="back" />
        </button>
        <button
          type="button"
          className="primary replay-play"
          onClick={replay.isPlaying ? replay.pause : replay.play}
          title="Play or pause (p)"
        >
          <Icon name={replay.isPlaying ? "pause" : "play"} />
          {replay.isPlaying ? "Pause" : "Play"}
        </button>
        <button
          type="button"
          aria-label="Next event"
          title="Next event (.)"
          disabled={replay.count >= envelopes.length}
          onClick={() => replay.step(1)}
        >
          <Icon name="next" />
        </button>
        <div className="segments" role="group" aria-label="Speed">
          {speeds.map((speed) => (
            <button
              key={speed}
              type="button"
              aria-pressed={speed === replay.speed}
              onClick={() => replay.setSpeed(speed)}
            >
              {speed}×
            </button>
          ))}
        </div>
        <label className="replay-skips">
          <input
            type="checkbox"
            checked={replay.skips}
            onChange={(event) => replay.setSkips(event.currentTarget.checked)}
          />{" "}
          Skip pauses
        </label>
        <p className="replay-time" data-testid="replay-time">
          <time dateTime={at}>{formatClock(at)}</time>{" "}
          <span className="soft">
            +{formatDuration(replay.time - first)} of {formatDuration(last - first)} · event {replay.count} of{" "}
            {envelopes.length}
          </span>
        </p>
      </div>
      <p className="replay-event soft">{shown ? visibleLine(eventText(shown)) : "before the first event"}</p>
    </section>
  );
}

function useReplayKeys(replay: Replay): void {
  const latest = useRef(replay);
  latest.current = replay;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isWriting =
        event.target instanceof HTMLElement &&
        event.target.matches("textarea, select, input:not([type=range], [type=checkbox])");
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
      const { isPlaying, play, pause, step } = latest.current;
      if (event.key === "p") (isPlaying ? pause : play)();
      else if (event.key === ".") step(1);
      else if (event.key === ",") step(-1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** The number of events over time, as the path of a row of bars. */
function density(times: readonly number[], width: number): string {
  const [first = 0] = times;
  const span = Math.max(1, (times.at(-1) ?? first) - first);
  const counts = Array.from({ length: width }, () => 0);
  for (const time of times) {
    const at = Math.min(width - 1, Math.floor(((time - first) / span) * width));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const most = Math.log1p(Math.max(1, ...counts));
  return counts
    .map((count, at) => (count === 0 ? "" : `M${at + 0.5} 10V${(10 - (Math.log1p(count) / most) * 9).toFixed(2)}`))
    .join("");
}
