import { type ReactNode, useEffect, useMemo } from "react";
import { type Ack, type SessionId } from "../../../../src/protocol/index.ts";
import type { TimelineMark } from "../../../../src/view/index.ts";
import { formatCount } from "../../parts/format-amounts.ts";
import type { Player } from "../../replay/player.ts";
import type { Recording } from "../../replay/recording.ts";
import { replayHref } from "../../route.ts";
import type { DashboardState } from "../../state/dashboard-state.ts";
import { DashboardContext, useDashboard } from "../../state/dashboard-store.ts";
import { NavigationContext, useNavigation } from "../../state/navigation.ts";
import { type Send, SendContext } from "../../state/use-send.ts";
import { ReplayControls } from "./replay-controls.tsx";
import { useRecording, useReplay } from "./use-replay.ts";
import "./replay-mode.css";

interface Props {
  readonly session: SessionId;
  /** The views, which show the moment of the replay. */
  readonly children: ReactNode;
}

/** Shows the views of a session at any of its moments, with the controls below them. */
export function ReplayMode({ session, children }: Props) {
  const loaded = useRecording(session);
  switch (loaded.kind) {
    case "loading":
      return <Waiting message={`Loading the session: ${formatCount(loaded.events)} events`} />;
    case "preparing":
      return <Waiting message={`Preparing: ${Math.round(loaded.part * 100)}%`} />;
    case "failed":
      return (
        <section className="replay-note" role="alert">
          <h2>Replay</h2>
          <p>Cannot replay the session: {loaded.why}. Open the replay again to retry.</p>
        </section>
      );
    case "ready":
      if (loaded.recording.envelopes.length === 0)
        return <Waiting message="Nothing has happened in this session yet." />;
      return (
        <Replaying recording={loaded.recording} player={loaded.player}>
          {children}
        </Replaying>
      );
  }
}

function Waiting({ message }: { message: string }) {
  return (
    <section className="replay-note">
      <h2>Replay</h2>
      <p className="soft" role="status">
        {message}
      </p>
    </section>
  );
}

interface ReplayingProps {
  readonly recording: Recording;
  readonly player: Player;
  readonly children: ReactNode;
}

function Replaying({ recording, player, children }: ReplayingProps) {
  const { session } = recording;
  const sessions = useDashboard((state) => state.sessions);
  const replay = useReplay(recording, player, sessions);
  const marks = useMemo(() => marksOf(player.at(recording.envelopes.length)), [player, recording]);
  const { route, go } = useNavigation();
  useEffect(() => {
    // Links in the views lead to other views at the same moment.
    const stay = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#/s/']:not([data-live])") : null;
      const href = replayHref(link?.getAttribute("href") ?? "", session);
      if (href === undefined || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      go(href);
    };
    document.addEventListener("click", stay, { capture: true });
    return () => document.removeEventListener("click", stay, { capture: true });
  });
  return (
    <DashboardContext value={replay.store}>
      <SendContext value={refuse}>
        <NavigationContext value={{ route, go: (href) => go(replayHref(href, session) ?? href) }}>
          {children}
        </NavigationContext>
      </SendContext>
      <ReplayControls recording={recording} replay={replay} marks={marks} />
    </DashboardContext>
  );
}

/** Maximum number of marks on the scrubber. More would cover each other. */
const maxShown = 300;

const marksOf = ({ folds }: DashboardState): readonly TimelineMark[] =>
  [...folds.values()]
    .flatMap(({ timeline }) => timeline.marks.list)
    .sort((a, b) => a.at - b.at)
    .slice(-maxShown);

const refusal: Ack = { ok: false, code: "replay", message: "this is a replay: commands cannot be sent" };
const refuse: Send = () => Promise.resolve(refusal);
