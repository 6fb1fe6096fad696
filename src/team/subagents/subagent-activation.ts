import type { AgentReport } from "../../agent/index.ts";
import type { Envelope } from "../../protocol/index.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";
import { createActivityLog, type ActivityLog } from "./activity-log.ts";
import { createEvidence } from "../evidence/evidence.ts";
import { evidenceText } from "../evidence/evidence-text.ts";
import { createHistoryKeeper } from "./summarize-activity.ts";

/** The state of a subagent while it has a runtime. All of it can be rebuilt from its log. */
export interface SubagentActivation {
  readonly runtime: SubagentRuntime;
  readonly activity: ActivityLog;
  /** Its last progress line by a small model. */
  readonly lastProgress: () => string | undefined;
  readonly lastText: () => string;
  readonly evidence: () => { readonly text: string; readonly turns: number; readonly usage: AgentReport["usage"] };
  /** Undefined if history summaries are off or no small model is available. */
  readonly summarizeHistory: ReturnType<typeof createHistoryKeeper> | undefined;
  observe(envelope: Envelope): void;
}

export function createActivation(
  runtime: SubagentRuntime,
  { history }: { readonly history: boolean },
): SubagentActivation {
  const evidence = createEvidence();
  const activity = createActivityLog();
  let lastText = "";
  let lastProgress: string | undefined;
  for (const envelope of runtime.replayed) {
    evidence.add(envelope);
    activity.observe(envelope.event);
    if (runtime.isAtWork) recordText(envelope.event);
  }
  const record = (event: Parameters<typeof runtime.agent.record>[0]) => runtime.agent.record(event);
  return {
    runtime,
    activity,
    lastProgress: () => lastProgress,
    lastText: () => lastText,
    evidence() {
      const totals = evidence.evidence();
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = totals.tokens;
      return {
        text: evidenceText(totals, { hasReport: lastText.trim() !== "" }),
        turns: totals.turns,
        usage: {
          tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
          toolCalls: Object.values(totals.toolCalls).reduce((sum, count) => sum + count, 0),
          durationMs: totals.durationMs,
        },
      };
    },
    summarizeHistory:
      history && runtime.askSideQuestion
        ? createHistoryKeeper({ activity, ask: runtime.askSideQuestion, record })
        : undefined,
    observe(envelope) {
      const { event } = envelope;
      evidence.add(envelope);
      activity.observe(event);
      if (event.type === "agent.summarized" && event.scope === "progress") lastProgress = event.text;
      recordText(event);
    },
  };

  function recordText(event: Envelope["event"]) {
    if (event.type !== "turn.ended") return;
    const text = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    if (text.length > 0) lastText = text.join("\n");
  }
}
