import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelEvent, ModelRequest } from "../../protocol/index.ts";
import { type AttemptContext, type AttemptModel, attemptModel, type AttemptOptions } from "../attempt.ts";
import { jsonRequest } from "../json-request.ts";
import { noTimeout, readAnswer } from "../read-answer.ts";
import { watchedFetch } from "../watched-fetch.ts";
import { AnthropicAnswer } from "./from-anthropic.ts";
import { toAnthropic } from "./to-anthropic.ts";

export interface AnthropicOptions extends AttemptOptions {
  /** Either an API key or an account token. */
  readonly credential: { readonly apiKey: string } | { readonly authToken: string };
}

/**
 * Client for the Messages API, one attempt at a time. The SDK neither retries nor logs, and reads no key or URL from
 * the environment.
 */
export function createAnthropic(options: AnthropicOptions): AttemptModel {
  return attemptModel(`anthropic/${options.endpoint.model}`, options, attempt);
}

async function* attempt(
  { endpoint, facts, credential, clock, fetch }: AnthropicOptions,
  request: ModelRequest,
  { signal, alive, spent }: AttemptContext,
): AsyncGenerator<ModelEvent, void, undefined> {
  const client = new BaseAnthropic({
    ...credential,
    baseURL: endpoint.baseUrl,
    webhookKey: null,
    maxRetries: 0,
    timeout: noTimeout,
    logLevel: "off",
    openTelemetry: false,
    fetch: watchedFetch(fetch, alive),
  });
  const body = toAnthropic(request, { id: endpoint.model, thinking: facts.thinking });
  const answer = new AnthropicAnswer();
  const send = () => client.post<Stream<RawMessageStreamEvent>>("/v1/messages", jsonRequest(body, signal));
  yield* readAnswer(send, answer, { endpoint, clock, spent });
}
