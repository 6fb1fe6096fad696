import { useEffect } from "react";
import type { AgentId, SessionId } from "../../../src/protocol/index.ts";
import { agentOf, type Store } from "../../../src/view/index.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { lookedAt, transcriptCame, transcriptFailed } from "./fold-envelopes.ts";
import { readEnvelopes } from "./read-message.ts";

/** Has the stored transcript of whoever is looked at fetched, where it was let go of. */
export function useTranscriptLoading(store: Store<DashboardState>): void {
  useEffect(() => {
    let asked: number | undefined;
    const look = () => {
      const wanted = wantedTranscript(store.getState());
      if (!wanted || wanted.look === asked) return;
      asked = wanted.look;
      void fetchTranscript(wanted.session, wanted.agent).then(
        (stored) => store.setState((state) => transcriptCame(state, wanted.look, stored)),
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          store.setState((state) => transcriptFailed(state, wanted.look, why));
        },
      );
    };
    look();
    return store.subscribe(look);
  }, [store]);
}

interface Wanted {
  readonly look: number;
  readonly session: SessionId;
  readonly agent: AgentId;
}

/** Whoever is looked at and has no transcript here, unless it could not be had. */
function wantedTranscript(state: DashboardState): Wanted | undefined {
  const { looking } = state;
  const view = looking && state.views.get(looking.session);
  const agent = looking && lookedAt(state, looking);
  if (!looking || !view || !agent || looking.problem !== undefined) return undefined;
  return agentOf(view, agent)?.isForgotten ? { look: looking.look, session: looking.session, agent } : undefined;
}

async function fetchTranscript(session: SessionId, agent: AgentId) {
  const query = new URLSearchParams({ session, agent });
  const response = await fetch(`/api/transcript?${query}`);
  if (!response.ok) throw new Error(`the server answered with ${response.status}`);
  return readEnvelopes(await response.json());
}
