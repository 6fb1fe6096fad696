import { Suspense, useState } from "react";
import { type Ack, type SessionId } from "../../../../src/protocol/index.ts";
import { AgentList } from "../../frame/agent-list.tsx";
import { ErrorBoundary } from "../../frame/error-boundary.tsx";
import { viewTitles } from "../../frame/tabs.tsx";
import { formatCount } from "../../parts/format-amounts.ts";
import type { Player } from "../../replay/player.ts";
import type { Recording } from "../../replay/recording.ts";
import { parseRoute, type Route, viewNames } from "../../route.ts";
import { DashboardContext, useDashboard } from "../../state/dashboard-store.ts";
import { NavigationContext, useNavigation } from "../../state/navigation.ts";
import { type Send, SendContext } from "../../state/use-send.ts";
import { lazyViews } from "../lazy-views.ts";
import { ReplayControls } from "./replay-controls.tsx";
import { useRecording, useReplay } from "./use-replay.ts";
import "./replay-view.css";

/** The other views at any time of a session. */
export function ReplayView({ session }: { session: SessionId }) {
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
      return <Replaying key={session} recording={loaded.recording} player={loaded.player} />;
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

/** A replay has every view except itself. */
const replayed = viewNames.filter((name) => name !== "replay");

function Replaying({ recording, player }: { recording: Recording; player: Player }) {
  const { session } = recording;
  const sessions = useDashboard((state) => state.sessions);
  const replay = useReplay(recording, player, sessions);
  const outer = useNavigation();
  const [inner, setInner] = useState<Extract<Route, { kind: "session" }>>(() => ({
    kind: "session",
    session,
    view: "team",
    agent: outer.route.kind === "session" ? outer.route.agent : undefined,
    at: undefined,
  }));
  const go = (href: string): boolean => {
    const route = parseRoute(href);
    const isInner = route.kind === "session" && route.session === session && route.view !== "replay";
    if (isInner) setInner(route);
    else outer.go(href);
    return isInner;
  };
  const View = lazyViews[inner.view];
  return (
    <section className="replay" aria-label="Replay">
      <h2 className="unseen">Replay</h2>
      <ReplayControls recording={recording} replay={replay} />
      <nav className="replay-tabs" aria-label="Replay">
        {replayed.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === inner.view}
            onClick={() => setInner({ ...inner, view: name, at: undefined })}
          >
            {viewTitles[name]}
          </button>
        ))}
      </nav>
      <DashboardContext value={replay.store}>
        <SendContext value={refuse}>
          <NavigationContext value={{ route: inner, go }}>
            {/* Links in the views lead to other views at the same time. */}
            {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events */}
            <div
              className="replay-body"
              onClickCapture={(event) => {
                const link = event.target instanceof Element ? event.target.closest("a[href^='#/s/']") : null;
                const href = link?.getAttribute("href");
                if (href && !event.ctrlKey && !event.metaKey && go(href)) event.preventDefault();
              }}
            >
              <AgentList session={session} />
              <div className="replay-view">
                <ErrorBoundary key={inner.view} about="This view">
                  <Suspense fallback={<p className="loading">Loading…</p>}>
                    <View session={session} />
                  </Suspense>
                </ErrorBoundary>
              </div>
            </div>
          </NavigationContext>
        </SendContext>
      </DashboardContext>
    </section>
  );
}

const refusal: Ack = { ok: false, code: "replay", message: "this is a replay: commands cannot be sent" };
const refuse: Send = () => Promise.resolve(refusal);
