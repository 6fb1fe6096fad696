import { agentNotification } from "../agent/index.ts";
import type { StoredEnvelope, StoredEvent } from "../protocol/index.ts";
import { evidenceOf } from "./evidence.ts";
import { evidenceText } from "./evidence-text.ts";

/** What is told of an agent that was at work when the program ended: what it had done, and that it can go on. */
export function lostReport(
  started: Extract<StoredEvent, { type: "background.started" }>,
  envelopes: readonly StoredEnvelope[],
): string {
  const evidence = evidenceOf(envelopes);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = evidence.tokens;
  const events = envelopes.map(({ event }) => event);
  const answer = events.findLast((event) => event.type === "turn.ended");
  const spawned = events.find((event) => event.type === "agent.spawned");
  const first = events.find((event) => event.type === "prompt.admitted");
  const words = (parts: readonly { type: string; text?: string }[] = []) =>
    parts.map(({ text }) => text ?? "").join("\n");
  return agentNotification(started.backgroundId, words(first?.parts), {
    agentId: started.agent ?? "",
    description: started.description,
    status: "stopped",
    reason: "the program ended while it worked; SendMessage lets it go on from where it was",
    text: words(answer?.parts.filter((part) => part.type === "text")),
    evidence: evidenceText(evidence),
    usage: {
      tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
      toolCalls: Object.values(evidence.toolCalls).reduce((sum, count) => sum + count, 0),
      durationMs: evidence.durationMs,
    },
    worktree: spawned?.worktree && { ...spawned.worktree, kept: true },
  });
}
