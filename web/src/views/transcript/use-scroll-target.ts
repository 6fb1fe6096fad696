import { useEffect, useState } from "react";
import type { AgentId, CallId, SessionId } from "../../../../src/protocol/index.ts";
import { type AgentView, itemAt } from "../../../../src/view/index.ts";
import { readEnvelopes } from "../../state/read-stream-message.ts";

/** The position of an event in the log, and its call. */
interface TargetPosition {
  readonly at: string;
  readonly seq: number;
  readonly callId: CallId | undefined;
}

/** The position of an event in the transcript, given by its id or its number in the log. Undefined until known. */
export function useScrollTarget(agent: AgentView, at: string | undefined): number | undefined {
  const [found, setFound] = useState<TargetPosition>();
  const place = at !== undefined && /^\d+$/.test(at) ? { at, seq: Number(at), callId: undefined } : found;
  useEffect(() => {
    if (at === undefined || /^\d+$/.test(at)) return;
    const gone = new AbortController();
    findTarget({ session: agent.session, agent: agent.id }, at, gone.signal).then(
      (place) => setFound(place),
      (error: unknown) => {
        if (!gone.signal.aborted) throw error;
      },
    );
    return () => gone.abort();
  }, [agent.session, agent.id, at]);
  if (at === undefined || place?.at !== at || agent.transcript.length === 0) return undefined;
  return indexOf(agent, place);
}

async function findTarget(
  of: { session: SessionId; agent: AgentId },
  at: string,
  signal: AbortSignal,
): Promise<TargetPosition | undefined> {
  const response = await fetch(`/api/transcript?${new URLSearchParams(of)}`, { signal });
  if (!response.ok) return undefined;
  // Ids are ordered: an event without a transcript entry is placed next to its neighbours.
  const envelope = readEnvelopes(await response.json()).findLast(({ id }) => id <= at);
  if (!envelope) return undefined;
  const { event, seq } = envelope;
  return { at, seq, callId: "callId" in event ? event.callId : undefined };
}

function indexOf({ transcript }: AgentView, { seq, callId }: TargetPosition): number {
  let [low, high] = [0, transcript.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((itemAt(transcript, middle)?.seq ?? 0) <= seq) low = middle;
    else high = middle - 1;
  }
  if (callId === undefined) return low;
  for (let index = low; index >= 0 && index > low - 2_000; index--) {
    const item = itemAt(transcript, index);
    if (item?.kind === "call" && item.callId === callId) return index;
  }
  return low;
}
