import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { useApprovals } from "../state/approvals.ts";
import { useDashboard } from "../state/dashboard-store.ts";
import type { Route } from "../route.ts";
import { useNavigation } from "../state/navigation.ts";
import { HomeView } from "../views/home/home-view.tsx";
import { lazyViews } from "../views/lazy-views.ts";
import { AgentList } from "./agent-list.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Header } from "./header.tsx";
import { KeyHelp, useKeys } from "./keys.tsx";
import { NewApprovals } from "./new-approvals.tsx";
import { sessionName } from "./session-name.ts";
import { StatusStrip } from "./status-strip.tsx";
import { Tabs } from "./tabs.tsx";
import { Toasts } from "./toasts.tsx";
import "./frame.css";

const ReplayMode = lazy(async () => ({ default: (await import("../views/replay/replay-mode.tsx")).ReplayMode }));
const Palette = lazy(async () => ({ default: (await import("./palette/palette.tsx")).Palette }));

/** The parts around the views, and the open view. */
export function Frame({ onRetry }: { onRetry: () => void }) {
  const { route } = useNavigation();
  const session = route.kind === "session" ? route.session : undefined;
  const approvals = useApprovals(session);
  const listing = useDashboard((state) => state.sessions?.find(({ id }) => id === session));
  const keys = useKeys();
  const isReplay = route.kind === "session" && route.isReplay;
  useEffect(() => {
    const waiting = approvals.length > 0 ? `(${approvals.length}) ` : "";
    const view = route.kind === "session" ? `${route.view} · ${sessionName(listing)} · ` : "";
    document.title = `${waiting}${view}Troupe`;
  }, [approvals.length, route, listing]);
  return (
    <div className="frame" data-kind={route.kind} data-replay={isReplay || undefined}>
      <a className="skip" href="#main" onClick={focusMain}>
        Go to the content
      </a>
      <Header session={session} isReplay={isReplay} onHelp={keys.openHelp} onPalette={keys.openPalette} />
      <ConnectionBanner onRetry={onRetry} />
      {route.kind === "session" ? (
        <Mode route={route}>
          <StatusStrip session={route.session} />
          <SessionParts />
        </Mode>
      ) : (
        <main id="main" tabIndex={-1} className="frame-home">
          {route.kind === "home" ? <HomeView /> : <UnknownAddress hash={route.hash} />}
        </main>
      )}
      <NewApprovals approvals={approvals} />
      <Toasts />
      {keys.isHelpOpen && <KeyHelp onClose={keys.closeHelp} />}
      {keys.isPaletteOpen && (
        <Suspense fallback={null}>
          <Palette session={session} onClose={keys.closePalette} onHelp={keys.openHelp} />
        </Suspense>
      )}
    </div>
  );
}

/** The same views, now or at a moment of the replay. */
function Mode({ route, children }: { route: Extract<Route, { kind: "session" }>; children: ReactNode }) {
  if (!route.isReplay) return children;
  return (
    <Suspense fallback={<p className="loading frame-body">Loading…</p>}>
      <ReplayMode key={route.session} session={route.session}>
        {children}
      </ReplayMode>
    </Suspense>
  );
}

function SessionParts() {
  const { route } = useNavigation();
  if (route.kind !== "session") return null;
  return (
    <>
      <Tabs route={route} />
      <div className="frame-body" data-view={route.view}>
        <AgentList session={route.session} />
        <main id="main" tabIndex={-1} key={route.session}>
          <ErrorBoundary key={route.view} about="This view">
            <OpenView />
          </ErrorBoundary>
        </main>
      </div>
    </>
  );
}

function OpenView() {
  const { route } = useNavigation();
  const problem = useDashboard((state) => (route.kind === "session" ? state.missing.get(route.session) : undefined));
  if (route.kind !== "session") return null;
  if (problem !== undefined) {
    return (
      <section className="broken" role="alert">
        <h2>Cannot read this session</h2>
        <p>{problem}</p>
        <p>
          <a href="#/">All sessions</a>
        </p>
      </section>
    );
  }
  const View = lazyViews[route.view];
  return (
    <Suspense fallback={<p className="loading">Loading…</p>}>
      <View session={route.session} />
    </Suspense>
  );
}

function UnknownAddress({ hash }: { hash: string }) {
  return (
    <section className="broken">
      <h2>There is nothing at this address</h2>
      <pre>{hash}</pre>
      <p>
        <a href="#/">All sessions</a>
      </p>
    </section>
  );
}

/** Keeps the address, because it names the open view. */
function focusMain(event: React.MouseEvent) {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}
