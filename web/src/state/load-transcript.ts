import { useEffect } from "react";
import type { AgentId, SessionId } from "../../../src/protocol/index.ts";
import { agentOf, type Store } from "../../../src/view/index.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { lookedAt, transcriptCame, transcriptFailed } from "./fold-envelopes.ts";
import { readEnvelopes } from "./read-message.ts";

/** Has the stored transcript of whoever is looked at fetched, where it was let go of. */
export function useTranscriptLoading(store: Store<DashboardState>): void {
  useEffect(() => {
    let asked: string | undefined;
    const look = () => {
      const wanted = wantedTranscript(store.getState());
      const key = wanted && `${wanted.session}/${wanted.agent}`;
      if (key === asked) return;
      asked = key;
      if (!wanted) return;
      void fetchTranscript(wanted.session, wanted.agent).then(
        (stored) => store.setState((state) => transcriptCame(state, wanted.agent, stored)),
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          store.setState((state) => transcriptFailed(state, wanted.agent, why));
        },
      );
    };
    look();
    return store.subscribe(look);
  }, [store]);
}

/** Whoever is looked at and has no transcript here, unless it could not be had. */
function wantedTranscript(state: DashboardState): { session: SessionId; agent: AgentId } | undefined {
  const { looking } = state;
  const view = looking && state.views.get(looking.session);
  const agent = looking && lookedAt(state, looking);
  if (!looking || !view || !agent || looking.problem !== undefined) return undefined;
  return agentOf(view, agent)?.isForgotten ? { session: looking.session, agent } : undefined;
}

async function fetchTranscript(session: SessionId, agent: AgentId) {
  const query = new URLSearchParams({ session, agent });
  const response = await fetch(`/api/transcript?${query}`);
  if (!response.ok) throw new Error(`the server answered with ${response.status}`);
  return readEnvelopes(await response.json());
}
