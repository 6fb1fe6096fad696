import { useContext, useEffect, useMemo, useState } from "react";
import type { CallId, SessionId } from "../../../../src/protocol/index.ts";
import { agentOf, itemsOf, leadOf, type SessionView } from "../../../../src/view/index.ts";
import { DashboardContext, useDashboard } from "../../state/dashboard-store.ts";
import { openTranscript, closeTranscript } from "../../state/fold-envelopes.ts";
import { useNavigation } from "../../state/navigation.ts";
import { useRoster } from "../../state/roster.ts";
import { CallPanel, CallSelectionContext } from "./call-panel.tsx";
import { Composer } from "./composer.tsx";
import { TranscriptHead } from "./transcript-head.tsx";
import { TranscriptList } from "./transcript-list.tsx";
import "./transcript-view.css";

/** The transcript of one agent: the lead unless the address names another. */
export function TranscriptView({ session }: { session: SessionId }) {
  const store = useContext(DashboardContext);
  const { route } = useNavigation();
  const wanted = route.kind === "session" ? route.agent : undefined;
  const at = route.kind === "session" ? route.at : undefined;
  const owner = useDashboard((state) => ownerOf(state.views, wanted) ?? session);
  useEffect(() => {
    store.setState((state) => openTranscript(state, owner, wanted));
  }, [store, owner, wanted]);
  useEffect(() => () => store.setState(closeTranscript), [store]);

  const view = useDashboard((state) => state.views.get(owner));
  const agent = view && (wanted === undefined ? leadOf(view) : agentOf(view, wanted));
  const [isUnfolded, setUnfolded] = useState(false);
  const [words, setWords] = useState<string | undefined>(undefined);
  const isCaughtUp = useDashboard((state) => state.caughtUp.has(owner));
  const problem = useDashboard((state) => state.viewedTranscript?.problem);
  const isReplay = useDashboard((state) => state.replayAt !== undefined);
  const [selected, select] = useState<CallId | undefined>(undefined);
  const asked = view?.questions;
  const selection = useMemo(
    () => ({ selected, select, questions: new Map(asked?.map((question) => [question.callId, question])) }),
    [selected, asked],
  );
  const entry = useRoster(session).find((each) => each.agent !== undefined && each.agent.id === agent?.id);

  if (!agent) {
    return (
      <section className="transcript">
        <h2>Transcript</h2>
        <p className="soft">{isCaughtUp ? "No events of this agent." : "Loading the session…"}</p>
      </section>
    );
  }
  return (
    <section className="transcript" aria-labelledby="transcript-title" data-color={entry?.color}>
      <TranscriptHead
        session={session}
        agent={agent}
        entry={entry}
        isUnfolded={isUnfolded}
        onFold={() => setUnfolded(!isUnfolded)}
        isSearching={words !== undefined}
        onSearch={() => setWords(words === undefined ? "" : undefined)}
      />
      {problem !== undefined && (
        <p className="transcript-problem" role="alert">
          Cannot show the earlier transcript: {problem}. Reload the page to retry.
        </p>
      )}
      {agent.isForgotten && problem === undefined ? (
        <p className="transcript-loading soft">Loading the transcript…</p>
      ) : (
        <CallSelectionContext value={selection}>
          <div className="transcript-split">
            <TranscriptList
              key={agent.id}
              agent={agent}
              at={at}
              isLoading={!isCaughtUp && !isReplay}
              isUnfolded={isUnfolded}
              query={words}
              onSearch={setWords}
            />
            <CallPanel agent={agent} />
          </div>
        </CallSelectionContext>
      )}
      <Composer key={`composer ${agent.id}`} session={session} entry={entry} />
    </section>
  );
}

function ownerOf(views: ReadonlyMap<SessionId, SessionView>, wanted: string | undefined): SessionId | undefined {
  if (wanted === undefined) return undefined;
  for (const [session, view] of views) {
    for (const { id } of itemsOf(view.agents)) if (id === wanted) return session;
  }
  return undefined;
}
