import { useEffect, useMemo } from "react";
import type { Store } from "../../src/view/index.ts";
import { ErrorBoundary } from "./frame/error-boundary.tsx";
import { Frame } from "./frame/frame.tsx";
import { useTranscriptLoading } from "./state/load-transcript.ts";
import type { LiveConnection } from "./state/live-connection.ts";
import type { DashboardState } from "./state/dashboard-state.ts";
import { DashboardContext } from "./state/dashboard-store.ts";
import { openTranscript } from "./state/fold-envelopes.ts";
import { NavigationContext, useHash } from "./state/navigation.ts";
import { postCommand } from "./state/post-command.ts";
import { refusalText } from "./state/refusal-text.ts";
import { type Send, SendContext } from "./state/use-send.ts";
import { addToast } from "./state/toasts.ts";

/** The root of the page: provides the state, the navigation and the commands to everything below. */
export function App({ store, connection }: { store: Store<DashboardState>; connection: LiveConnection }) {
  const navigation = useHash();
  const { route } = navigation;
  const session = route.kind === "session" ? route.session : undefined;
  useEffect(() => connection.select(session), [connection, session]);
  const isLeads =
    route.kind === "session" && route.view === "transcript" && route.agent === undefined && !route.isReplay;
  useEffect(() => {
    // Set before the view is loaded. Otherwise events until then would be dropped and requested again.
    if (session !== undefined && isLeads) store.setState((state) => openTranscript(state, session, undefined));
  }, [store, session, isLeads]);
  useTranscriptLoading(store);
  const send = useMemo<Send>(
    () => async (to, command) => {
      const ack = await postCommand(to, command);
      if (!ack.ok) addToast(store, { level: "error", text: refusalText(store.getState(), command, ack) });
      return ack;
    },
    [store],
  );
  return (
    <DashboardContext value={store}>
      <SendContext value={send}>
        <NavigationContext value={navigation}>
          <ErrorBoundary about="The page">
            <Frame onRetry={connection.retry} />
          </ErrorBoundary>
        </NavigationContext>
      </SendContext>
    </DashboardContext>
  );
}
