import type { ModelAnswer, ModelClient, ModelFailure, ModelRequest, Usage } from "../protocol/index.ts";
import { type Amount, type Hold, type Ledger, tokensIn } from "./ledger.ts";
import type { Recorder } from "./recorder.ts";

export interface AskModel {
  readonly client: ModelClient;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  readonly ledger: Ledger;
  /** The cost in USD of an expected or real usage on this model. */
  readonly costOf: (ref: string, usage: Usage) => number;
  /** Upper bound for the tokens of the prompt. */
  readonly maxPromptTokens: number;
}

export type AskResult =
  | { readonly type: "answered"; readonly answer: ModelAnswer }
  | { readonly type: "failed"; readonly failure: ModelFailure }
  | { readonly type: "no_budget" };

/**
 * Makes one request after holding the maximum that it can cost. The cost is on the ledger and in the log before the
 * answer, also for lost attempts.
 */
export async function askModel(ask: AskModel): Promise<AskResult> {
  const { recorder, request, signal } = ask;
  const onWait = () =>
    recorder.live({
      type: "turn.waiting",
      turn: request.caller.turn,
      reason: "requests of other agents may use up the rest of the budget",
    });
  for (;;) {
    let hold: Hold | undefined;
    try {
      hold = await ask.ledger.hold(maxOf(ask), { signal, onWait });
    } catch (error) {
      if (!signal.aborted) throw error;
      return { type: "failed", failure: { kind: "aborted", message: "interrupted before the request was made" } };
    }
    if (!hold) return { type: "no_budget" };
    const result = await askHeld(ask, hold);
    if (result.type !== "hold_again") return result;
  }
}

/** Takes the higher price: writing the prompt to the cache costs more with one provider and nothing with another. */
function maxOf({ client, request, costOf, maxPromptTokens }: AskModel): Amount {
  const most = { ...noUsage, inputTokens: maxPromptTokens, outputTokens: request.maxOutputTokens };
  const cached = { ...most, inputTokens: 0, cacheWriteTokens: maxPromptTokens };
  return { usd: Math.max(costOf(client.ref, most), costOf(client.ref, cached)), tokens: tokensIn(most) };
}

async function askHeld(ask: AskModel, hold: Hold): Promise<AskResult | { readonly type: "hold_again" }> {
  const { client, request, recorder, signal } = ask;
  const turn = request.caller.turn;
  let spent: Amount = { usd: 0, tokens: 0 };
  const pay = async (purpose: "lost" | ModelRequest["caller"]["purpose"], usage: Usage) => {
    const costUsd = ask.costOf(client.ref, usage);
    const amount = { usd: costUsd, tokens: tokensIn(usage) };
    const stands = purpose === "lost" ? hold.lose(amount) : true;
    if (purpose !== "lost") spent = amount;
    await recorder.record({ type: "cost.recorded", purpose, model: client.ref, usage, costUsd }, signal);
    return stands;
  };

  try {
    for await (const event of client.stream(request, signal)) {
      switch (event.type) {
        case "text.delta":
        case "thinking.delta":
          recorder.live({ type: event.type, turn, text: event.text });
          break;
        case "tool.delta":
          recorder.live({ type: "tool.drafted", turn, name: event.name, inputJson: event.inputJson });
          break;
        case "waiting":
          recorder.live({ type: "turn.waiting", turn, reason: event.reason });
          break;
        case "retrying": {
          const stands = event.usage ? await pay("lost", event.usage) : true;
          recorder.live({
            type: "turn.retried",
            turn,
            attempt: event.attempt,
            delayMs: Math.round(event.delayMs),
            failure: event.failure,
          });
          if (!stands) return { type: "hold_again" };
          break;
        }
        case "finished":
          await pay(request.caller.purpose, event.answer.usage);
          return { type: "answered", answer: event.answer };
        case "failed":
          if (event.usage) await pay("lost", event.usage);
          return { type: "failed", failure: event.failure };
      }
    }
  } finally {
    hold.settle(spent);
  }
  throw new Error(`the stream of ${client.ref} ended without a final event`);
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
