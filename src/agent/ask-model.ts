import type { ModelAnswer, ModelClient, ModelFailure, ModelRequest, Usage } from "../protocol/index.ts";
import type { Ledger } from "./limits.ts";
import type { Recorder } from "./recorder.ts";

export interface AskModel {
  readonly client: ModelClient;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  readonly ledger: Ledger;
  /** What a request of this size, or this usage, costs on this model. */
  readonly costOf: (ref: string, usage: Usage) => number;
  readonly estimatedTokens: number;
}

export type AskResult =
  | { readonly type: "answered"; readonly answer: ModelAnswer }
  | { readonly type: "failed"; readonly failure: ModelFailure }
  | { readonly type: "no_budget" };

/**
 * One request, once its money is set aside. What it cost is on the ledger and in the log before the answer is, also for
 * attempts that were lost on the way.
 */
export async function askModel(ask: AskModel): Promise<AskResult> {
  const { client, request, recorder, ledger, signal } = ask;
  const turn = request.caller.turn;
  const hold = ledger.hold(ask.costOf(client.ref, { ...noUsage, inputTokens: ask.estimatedTokens }));
  if (!hold) return { type: "no_budget" };

  let spent = 0;
  const pay = async (purpose: "lost" | ModelRequest["caller"]["purpose"], usage: Usage) => {
    const costUsd = ask.costOf(client.ref, usage);
    spent += costUsd;
    await recorder.record({ type: "cost.recorded", purpose, model: client.ref, usage, costUsd }, signal);
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
        case "retrying":
          if (event.usage) await pay("lost", event.usage);
          recorder.live({
            type: "turn.retried",
            turn,
            attempt: event.attempt,
            delayMs: Math.round(event.delayMs),
            failure: event.failure,
          });
          break;
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
  throw new Error(`the stream of ${client.ref} ended without saying how`);
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
