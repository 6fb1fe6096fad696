import OpenAI from "openai";
import type { Stream } from "openai/core/streaming";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { ModelEvent, ModelRequest } from "../../protocol/index.ts";
import { type AttemptContext, type AttemptModel, attemptModel, type AttemptOptions } from "../attempt.ts";
import { jsonRequest } from "../json-request.ts";
import { noTimeout, readAnswer } from "../read-answer.ts";
import { watchedFetch } from "../watched-fetch.ts";
import { OpenAiAnswer } from "./from-openai.ts";
import { toOpenAi } from "./to-openai.ts";

/** The provider `local` means any server with the chat completions API. Its key is optional. */
export interface OpenAiOptions extends AttemptOptions {
  readonly random: () => number;
}

/**
 * Client for chat completions, one attempt at a time. The SDK neither retries nor logs, and reads no key or URL from
 * the environment.
 */
export function createOpenAi(options: OpenAiOptions): AttemptModel {
  return attemptModel(`${options.endpoint.provider}/${options.endpoint.model}`, options, attempt);
}

async function* attempt(
  { endpoint, facts, clock, random, fetch }: OpenAiOptions,
  request: ModelRequest,
  { signal, alive, spent }: AttemptContext,
): AsyncGenerator<ModelEvent, void, undefined> {
  const client = new OpenAI({
    // The SDK requires a key. Without a secret the header is removed below.
    apiKey: endpoint.secret ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    timeout: noTimeout,
    logLevel: "off",
    ...(endpoint.secret === undefined && { defaultHeaders: { Authorization: null } }),
    fetch: watchedFetch(fetch, alive),
  });
  const dialect = endpoint.provider === "openai" ? "openai" : "compatible";
  const body = toOpenAi(request, { id: endpoint.model, dialect, thinking: facts.thinking });
  const answer = new OpenAiAnswer({
    isUsed: (id) => hasCall(request, id),
    createId: () => `call_${Array.from({ length: 24 }, () => Math.floor(random() * 36).toString(36)).join("")}`,
    requestChars: () => body.length,
  });
  const send = () => client.post<Stream<ChatCompletionChunk>>("/chat/completions", jsonRequest(body, signal));
  yield* readAnswer(send, answer, { endpoint, clock, spent });
}

const hasCall = ({ messages }: ModelRequest, id: string) =>
  messages.some(({ parts }) => parts.some((part) => part.type === "tool_call" && part.callId === id));
