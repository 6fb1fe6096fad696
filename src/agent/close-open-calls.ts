import type { StoredEvent } from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";
import { callLostBeforeStart, unknownOutcome } from "./fragments/calls/interrupted-call.ts";

/** Gives a result to every call that was left without one: by an earlier process, or for want of space on the disk. */
export async function closeOpenCalls(
  conversation: Conversation,
  record: (event: StoredEvent) => Promise<void>,
): Promise<number> {
  const open = conversation.openCalls();
  for (const { call, started } of open) {
    const text = started ? unknownOutcome : callLostBeforeStart;
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
