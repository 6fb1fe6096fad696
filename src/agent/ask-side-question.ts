import { messageOf, type ModelCaller, type ModelClient, type StoredEvent, type Usage } from "../protocol/index.ts";
import { askModel } from "./ask-model.ts";
import type { Ledger } from "./ledger.ts";

/** A question to a model about an agent. It never enters the agent's conversation. */
export interface SideQuestion {
  readonly purpose: Extract<ModelCaller["purpose"], "summary" | "check">;
  readonly system: string;
  readonly text: string;
  readonly maxOutputTokens: number;
}

export type SideAnswer =
  | { readonly ok: true; readonly text: string }
  /** `reason` is for people. */
  | { readonly ok: false; readonly reason: string };

/** Never rejects: a failed side question must not affect the agent's work. */
export type AskSideQuestion = (question: SideQuestion, signal: AbortSignal) => Promise<SideAnswer>;

export interface SideQuestionOptions {
  readonly client: () => Promise<ModelClient>;
  readonly agent: { readonly path: string; readonly type: string };
  readonly turn: () => number;
  /** Writes to the agent's own log, which records the cost of questions about the agent. */
  readonly record: (event: StoredEvent) => Promise<void>;
  readonly ledger: Ledger;
  readonly costOf: (ref: string, usage: Usage) => number;
}

/** Upper bound for the tokens that a provider adds around the text. */
const frameTokens = 1_000;

export function createAskSideQuestion(options: SideQuestionOptions): AskSideQuestion {
  const { agent, ledger, costOf } = options;
  return async ({ purpose, system, text, maxOutputTokens }, signal) => {
    try {
      const client = await options.client();
      const begins = {
        system: [system],
        tools: [],
        maxOutputTokens: Math.min(maxOutputTokens, client.maxOutputTokens),
      };
      const asked = await askModel({
        client,
        signal,
        ledger,
        costOf,
        // No viewer sees these deltas: they do not belong to the current turn.
        recorder: { record: options.record, live: () => undefined, leave: () => undefined },
        maxPromptTokens: system.length + text.length + frameTokens,
        request: {
          ...begins,
          messages: [{ role: "user", parts: [{ type: "text", text }] }],
          caller: { agentPath: agent.path, agentType: agent.type, turn: options.turn(), purpose },
        },
      });
      if (asked.type === "no_budget") return { ok: false, reason: ledger.usedUp() ?? "the budget is used up" };
      if (asked.type === "failed") return { ok: false, reason: asked.failure.message };
      const texts = asked.answer.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return { ok: true, text: texts.join("\n").trim() };
    } catch (error) {
      return { ok: false, reason: messageOf(error) };
    }
  };
}
