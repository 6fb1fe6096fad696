import type { AgentReport } from "../agent/index.ts";
import type { Envelope } from "../protocol/index.ts";
import type { SubagentRuntime } from "./child-seat.ts";
import { createDoings, type Doings } from "./doings.ts";
import { createEvidence } from "./evidence.ts";
import { evidenceText } from "./evidence-text.ts";
import { createHistoryKeeper } from "./summaries.ts";

/** What is known of a sub-agent while it has a seat; all of it can be had again from its log. */
export interface SubagentActivation {
  readonly runtime: SubagentRuntime;
  readonly doings: Doings;
  /** Its last line by a small model. */
  readonly lastLine: () => string | undefined;
  readonly lastWords: () => string;
  readonly evidence: () => { readonly words: string; readonly turns: number; readonly usage: AgentReport["usage"] };
  /** Undefined where no account of a long history is wanted, or nobody can write it. */
  readonly keepHistory: ReturnType<typeof createHistoryKeeper> | undefined;
  hear(envelope: Envelope): void;
}

export function createActivation(
  runtime: SubagentRuntime,
  { history }: { readonly history: boolean },
): SubagentActivation {
  const evidence = createEvidence();
  const doings = createDoings();
  let lastWords = "";
  let lastLine: string | undefined;
  for (const envelope of runtime.replayed) {
    evidence.add(envelope);
    doings.hear(envelope.event);
    if (runtime.isAtWork) hearWords(envelope.event);
  }
  const record = (event: Parameters<typeof runtime.agent.record>[0]) => runtime.agent.record(event);
  return {
    runtime,
    doings,
    lastLine: () => lastLine,
    lastWords: () => lastWords,
    evidence() {
      const found = evidence.evidence();
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = found.tokens;
      return {
        words: evidenceText(found),
        turns: found.turns,
        usage: {
          tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
          toolCalls: Object.values(found.toolCalls).reduce((sum, count) => sum + count, 0),
          durationMs: found.durationMs,
        },
      };
    },
    keepHistory: history && runtime.aside ? createHistoryKeeper({ doings, ask: runtime.aside, record }) : undefined,
    hear(envelope) {
      const { event } = envelope;
      evidence.add(envelope);
      doings.hear(event);
      if (event.type === "agent.summarized" && event.scope === "progress") lastLine = event.text;
      hearWords(event);
    },
  };

  function hearWords(event: Envelope["event"]) {
    if (event.type !== "turn.ended") return;
    const words = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    if (words.length > 0) lastWords = words.join("\n");
  }
}
