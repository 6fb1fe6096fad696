import type { PromptBlock, PromptTokens, Reply } from "../model/scripted/index.ts";
import type { Message, ToolSpec, Usage } from "../protocol/index.ts";
import type { Frame } from "./frame.ts";

/** A parsed request of any protocol. */
export interface WireRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The OpenAI protocol sends usage in a stream only on request. */
  readonly includeUsage?: boolean;
  readonly maxOutputTokens: number;
  readonly system: readonly string[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly blocks: readonly PromptBlock[];
}

/** A request that the provider would reject. `message` uses the provider's wording. */
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

/** The parser and encoder of one provider's protocol. */
export interface Wire {
  parse(body: unknown): WireRequest | WireRefusal;
  /** Converts token counts to this provider's cache accounting. */
  usage(tokens: PromptTokens): PromptTokens;
  frames(answer: WireAnswer): Frame[];
  whole(answer: WireAnswer): unknown;
  error(failure: { status: number; message: string; overflow?: boolean }): unknown;
  errorFrame(failure: { status: number; message: string }): Frame;
  readonly unknownFrame: (padding: string) => Frame;
}
