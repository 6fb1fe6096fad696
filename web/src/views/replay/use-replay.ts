import { useEffect, useMemo, useRef, useState } from "react";
import { messageOf, type SessionId } from "../../../../src/protocol/index.ts";
import { createStore, type Store } from "../../../../src/view/index.ts";
import { createPlayer, type Player } from "../../replay/player.ts";
import { loadRecording } from "../../replay/load-recording.ts";
import { countUntil, type Recording, stepFrom } from "../../replay/recording.ts";
import { browserPorts } from "../../state/browser-ports.ts";
import { type DashboardState, emptyDashboard } from "../../state/dashboard-state.ts";

export const speeds = [1, 2, 5, 10, 50] as const;
export type Speed = (typeof speeds)[number];

/** The state of a recording that is being loaded. */
export type Loaded =
  | { readonly kind: "loading"; readonly events: number }
  | { readonly kind: "preparing"; readonly part: number }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "ready"; readonly recording: Recording; readonly player: Player };

/** Loads and prepares the recording of a session. */
export function useRecording(session: SessionId): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ kind: "loading", events: 0 });
  useEffect(() => {
    const left = new AbortController();
    const onProgress = (next: Loaded) => {
      if (!left.signal.aborted) setLoaded(next);
    };
    onProgress({ kind: "loading", events: 0 });
    loadRecording(session, {
      open: browserPorts.openStream,
      signal: left.signal,
      progress: (events) => onProgress({ kind: "loading", events }),
    }).then(
      (recording) => prepare(recording, onProgress, left.signal),
      (error: unknown) => onProgress({ kind: "failed", why: messageOf(error) }),
    );
    return () => left.abort();
  }, [session]);
  return loaded;
}

/** Works in slices, so that the page stays usable. */
function prepare(recording: Recording, onProgress: (loaded: Loaded) => void, signal: AbortSignal): void {
  const player = createPlayer(recording, {
    ...emptyDashboard,
    selected: recording.session,
    connection: { kind: "open" },
    replayAt: new Date(recording.times[0] ?? 0).toISOString(),
  });
  const go = () => {
    if (signal.aborted) return;
    const part = player.prepare(40);
    if (part >= 1) return onProgress({ kind: "ready", recording, player });
    onProgress({ kind: "preparing", part });
    setTimeout(go, 0);
  };
  go();
}

export interface Replay {
  readonly store: Store<DashboardState>;
  readonly count: number;
  readonly time: number;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly skips: boolean;
  seek(time: number): void;
  step(by: 1 | -1): void;
  play(): void;
  pause(): void;
  setSpeed(speed: Speed): void;
  setSkips(skips: boolean): void;
}

/** Remaining length of a skipped pause. */
const maxSilenceMs = 1_000;

/** The position of the replay, and its controls. */
export function useReplay(recording: Recording, player: Player, sessions: DashboardState["sessions"]): Replay {
  const { times, envelopes } = recording;
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const [place, setPlace] = useState({ count: envelopes.length, time: last });
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const [skips, setSkips] = useState(true);
  const store = useMemo(() => createStore(emptyDashboard), []);

  const drawn = useMemo<DashboardState>(() => {
    const state = player.at(place.count);
    // In a replay all sessions count as reachable.
    const then = sessions?.map((listing) => ({ ...listing, state: "reachable" as const }));
    const caughtUp = new Set(state.views.keys());
    return { ...state, sessions: then, caughtUp, replayAt: new Date(place.time).toISOString() };
  }, [player, place, sessions]);
  useEffect(
    () => store.setState((before) => ({ ...drawn, viewedTranscript: before.viewedTranscript })),
    [store, drawn],
  );

  const now = useRef({ place, speed, skips });
  now.current = { place, speed, skips };
  useEffect(() => {
    if (!isPlaying) return;
    let before = performance.now();
    let frame = requestAnimationFrame(function go(at) {
      const { place, speed, skips } = now.current;
      const next = times[place.count];
      if (next === undefined) return setPlaying(false);
      let time = place.time + Math.min(200, at - before) * speed;
      if (skips) time = Math.max(time, next - maxSilenceMs * speed);
      before = at;
      setPlace({ time, count: countUntil(recording, time) });
      frame = requestAnimationFrame(go);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, recording, times]);

  return {
    store,
    ...place,
    isPlaying,
    speed,
    skips,
    seek(time) {
      const wanted = Math.max(first, Math.min(last, time));
      setPlace({ time: wanted, count: countUntil(recording, wanted) });
    },
    step(by) {
      setPlaying(false);
      const count = stepFrom(recording, place.count, by);
      setPlace({ count, time: times[Math.max(0, count - 1)] ?? first });
    },
    play() {
      if (place.count >= envelopes.length) setPlace({ time: first, count: countUntil(recording, first) });
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    setSpeed,
    setSkips,
  };
}
