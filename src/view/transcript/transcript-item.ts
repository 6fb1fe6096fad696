import type { CallId, ContentPart, Event, ModelFailure, PromptId, ToolOutcome } from "../../protocol/index.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** What people see of an agent, in the order in which it entered the conversation. `seq` is that of the event it came with. */
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
  /** A small model's account of all that came before it. */
  | { readonly kind: "summary"; readonly text: string }
  /** The agent came to rest, and not because it was done. */
  | { readonly kind: "idle"; readonly reason: Of<"agent.idle">["reason"]; readonly detail: string | undefined }
  | { readonly kind: "stopped"; readonly outcome: Of<"agent.stopped">["outcome"]; readonly detail: string | undefined }
);

/** `asked` for by the model, `running` since `tool.called`, then whatever it came to. */
export interface CallView {
  readonly turn: number;
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
  readonly title: string;
  readonly state: "asked" | "running" | ToolOutcome["outcome"];
  readonly result: CallResult | undefined;
  /** The end of what a running call has shown so far; live only. */
  readonly progress: string;
}

export interface CallResult {
  readonly content: readonly ContentPart[];
  readonly display: ToolOutcome["display"];
  readonly savedTo: string | undefined;
  readonly durationMs: number;
}

export type CallItem = Extract<TranscriptItem, { kind: "call" }>;
export type PromptItem = Extract<TranscriptItem, { kind: "prompt" }>;
