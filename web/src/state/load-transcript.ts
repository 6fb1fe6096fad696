import { useEffect } from "react";
import { type AgentId, messageOf, type SessionId } from "../../../src/protocol/index.ts";
import { agentOf, type Store } from "../../../src/view/index.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { withViewedTranscript, transcriptLoaded, transcriptFailed } from "./fold-envelopes.ts";
import { readEnvelopes } from "./read-stream-message.ts";

/** Loads the stored transcript of the agent in view if it was dropped. */
export function useTranscriptLoading(store: Store<DashboardState>): void {
  useEffect(() => {
    let asked: number | undefined;
    const request = () => {
      const wanted = wantedTranscript(store.getState());
      if (!wanted || wanted.request === asked) return;
      asked = wanted.request;
      void fetchTranscript(wanted.session, wanted.agent).then(
        (stored) => store.setState((state) => transcriptLoaded(state, wanted.request, stored)),
        (error: unknown) => {
          const reason = messageOf(error);
          store.setState((state) => transcriptFailed(state, wanted.request, reason));
        },
      );
    };
    request();
    return store.subscribe(request);
  }, [store]);
}

interface Wanted {
  readonly request: number;
  readonly session: SessionId;
  readonly agent: AgentId;
}

/** The agent in view without a transcript, unless loading it has failed. */
function wantedTranscript(state: DashboardState): Wanted | undefined {
  const { viewedTranscript: looking } = state;
  const view = looking && state.views.get(looking.session);
  const agent = looking && withViewedTranscript(state, looking);
  if (!looking || !view || !agent || looking.problem !== undefined) return undefined;
  return agentOf(view, agent)?.isForgotten ? { request: looking.request, session: looking.session, agent } : undefined;
}

async function fetchTranscript(session: SessionId, agent: AgentId) {
  const query = new URLSearchParams({ session, agent });
  const response = await fetch(`/api/transcript?${query}`);
  if (!response.ok) throw new Error(`the server answered with ${response.status}`);
  return readEnvelopes(await response.json());
}
