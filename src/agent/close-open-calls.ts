import type { StoredEvent } from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";
import { callLostBeforeStart, lostAgentCall, unknownOutcome } from "./fragments/calls/interrupted-call.ts";

/** Records a result for every call that has none, because an earlier process ended or the disk was full. */
export async function closeOpenCalls(
  conversation: Conversation,
  record: (event: StoredEvent) => Promise<void>,
): Promise<number> {
  const open = conversation.openCalls();
  for (const { call, started } of open) {
    const lost = call.name === "Agent" ? lostAgentCall : unknownOutcome;
    const text = started ? lost : callLostBeforeStart;
    await record({
      type: "tool.settled",
      callId: call.callId,
      durationMs: 0,
      outcome: "interrupted",
      content: [{ type: "text", text }],
    });
  }
  return open.length;
}
