import { TroupeError } from "../protocol/index.ts";
import type { SessionSummary } from "./session-store.ts";

/** Names the sessions with the same beginning, or else the newest. */
export function sessionNotFound(id: string, sessions: readonly SessionSummary[]): TroupeError {
  const shown = JSON.stringify(id.slice(0, 80));
  if (sessions.length === 0)
    return new TroupeError("session_not_found", `There is no session ${shown}, and no other session yet.`);
  const similar = sessions.filter(({ sessionId }) => id.length > 4 && sessionId.startsWith(id.slice(0, 18)));
  const named = (similar.length > 0 ? similar : sessions).slice(0, 3).map(({ sessionId, firstPrompt }) => {
    return firstPrompt === undefined ? sessionId : `${sessionId} (${firstPrompt.slice(0, 40)})`;
  });
  const which = similar.length > 0 ? "Did you mean" : "The newest are";
  return new TroupeError("session_not_found", `There is no session ${shown}. ${which} ${named.join(", ")}.`);
}

export const logNotFound = (id: string, agentId: string): TroupeError =>
  new TroupeError(
    "session_not_found",
    `Session ${id} has no agent ${agentId}. 'troupe sessions show ${id}' lists its agents.`,
  );
