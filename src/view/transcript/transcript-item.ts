import type { CallId, ContentPart, Event, ModelFailure, PromptId, ToolOutcome, Usage } from "../../protocol/index.ts";
import { type ChunkedList, itemsOf } from "../lists/chunked-list.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/**
 * An entry of an agent's transcript, in the order in which it entered the conversation. `seq` is the number of its
 * event.
 */
export type TranscriptItem = { readonly seq: number; readonly at: string } & (
  | {
      readonly kind: "prompt";
      readonly promptId: PromptId;
      readonly source: Of<"prompt.admitted">["source"];
      readonly parts: readonly ContentPart[];
    }
  | { readonly kind: "text"; readonly turn: number; readonly text: string }
  | { readonly kind: "thinking"; readonly turn: number; readonly text: string; readonly redacted: boolean }
  | ({ readonly kind: "call" } & CallView)
  | {
      readonly kind: "notice";
      readonly level: Of<"notice.raised">["level"];
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: "failure"; readonly turn: number; readonly failure: ModelFailure }
  | {
      readonly kind: "compaction";
      readonly trigger: Of<"context.compacted">["trigger"];
      readonly summary: string;
      readonly tokensBefore: number;
    }
  /** A small model's summary of everything before it. */
  | { readonly kind: "summary"; readonly text: string }
  /** The agent became idle for a reason other than finishing its work. */
  | { readonly kind: "idle"; readonly reason: Of<"agent.idle">["reason"]; readonly detail: string | undefined }
  /** The agent finished its work: the time and the tokens since the prompt, and its own cost. */
  | { readonly kind: "done"; readonly durationMs: number; readonly tokens: number; readonly costUsd: number }
  | { readonly kind: "stopped"; readonly outcome: Of<"agent.stopped">["outcome"]; readonly detail: string | undefined }
);

/** `asked` for by the model, `running` since `tool.called`, then the outcome. */
export interface CallView {
  readonly turn: number;
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
  readonly title: string;
  readonly state: "asked" | "running" | ToolOutcome["outcome"];
  readonly result: CallResult | undefined;
  /** The end of the output of a running call; live only. */
  readonly progress: string;
  /** The answer that asked for it; its other calls share it. */
  readonly answer?: AnswerCost;
}

/** The price and the time of one answer. */
export interface AnswerCost {
  readonly usage: Usage;
  readonly costUsd: number;
  readonly durationMs: number;
}

export interface CallResult {
  readonly content: readonly ContentPart[];
  readonly display: ToolOutcome["display"];
  readonly savedTo: string | undefined;
  readonly durationMs: number;
}

export type CallItem = Extract<TranscriptItem, { kind: "call" }>;
export type PromptItem = Extract<TranscriptItem, { kind: "prompt" }>;

/** True for the transcript of an agent that has only notices of its start. */
export function isWithoutPrompt(transcript: ChunkedList<TranscriptItem> | undefined): boolean {
  for (const { kind } of transcript ? itemsOf(transcript) : []) if (kind !== "notice") return false;
  return true;
}
