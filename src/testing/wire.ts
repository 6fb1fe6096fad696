import type { PromptBlock, PromptTokens, Reply } from "../model/scripted/index.ts";
import type { Message, ToolSpec, Usage } from "../protocol/index.ts";
import type { Frame } from "./frame.ts";

/** What the server understands of a request, whichever protocol it came in. */
export interface WireRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The OpenAI protocol sends usage in a stream only when asked to. */
  readonly includeUsage?: boolean;
  readonly maxOutputTokens: number;
  readonly system: readonly string[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly blocks: readonly PromptBlock[];
}

/** A request the provider would refuse; `message` in the provider's manner. */
export interface WireRefusal {
  readonly refusal: string;
}

export interface WireAnswer {
  readonly id: string;
  readonly request: WireRequest;
  readonly reply: Reply;
  readonly usage: Usage;
  readonly at: number;
}

/** One provider's protocol: how it is read, and how it is spoken. */
export interface Wire {
  parse(body: unknown): WireRequest | WireRefusal;
  /** What this provider's cache makes of the tokens. */
  usage(tokens: PromptTokens): PromptTokens;
  frames(answer: WireAnswer): Frame[];
  whole(answer: WireAnswer): unknown;
  error(failure: { status: number; message: string; overflow?: boolean }): unknown;
  errorFrame(failure: { status: number; message: string }): Frame;
  readonly unknownFrame: (padding: string) => Frame;
}
