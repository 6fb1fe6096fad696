import type { AnswerPart, CallId, ModelEvent, StopReason, Usage } from "../../protocol/index.ts";
import type { Answer } from "./script.ts";

/** A fully resolved answer that only has to be sent. */
export interface Reply {
  readonly parts: readonly AnswerPart[];
  readonly stopReason: StopReason;
  readonly usage: Partial<Usage>;
  readonly delayMs: number;
  readonly chunk: number;
  readonly chunkDelayMs: number;
}

export function replyFrom(answer: Answer, callId: (index: number) => string): Reply {
  const parts = partsOf(answer, callId);
  return {
    parts,
    stopReason: answer.stop ?? (parts.some((part) => part.type === "tool_call") ? "tool_use" : "end_turn"),
    usage: Object.fromEntries(Object.entries(answer.usage ?? {}).filter(([, tokens]) => tokens !== undefined)),
    delayMs: answer.delayMs ?? 0,
    chunk: answer.chunk ?? 32,
    chunkDelayMs: answer.chunkDelayMs ?? 0,
  };
}

export const isEmptyReply = (answer: Answer): boolean =>
  (answer.text ?? answer.thinking ?? answer.calls ?? answer.parts) === undefined;

export type Delta = Extract<ModelEvent, { type: "text.delta" | "thinking.delta" | "tool.delta" }>;

/** Yields the pieces in which a reply arrives. */
export function* deltasOf(reply: Reply): Generator<Delta> {
  for (const part of reply.parts) {
    switch (part.type) {
      case "text":
        for (const text of pieces(part.text, reply.chunk)) yield { type: "text.delta", text };
        break;
      case "thinking":
        for (const text of pieces(part.text, reply.chunk)) yield { type: "thinking.delta", text };
        break;
      case "tool_call":
        for (const inputJson of pieces(inputText(part.input), reply.chunk)) {
          yield { type: "tool.delta", name: part.name, inputJson };
        }
        break;
    }
  }
}

/** Returns the input as a provider streams it. A string is text that a model wrote instead of JSON. */
export const inputText = (input: unknown): string =>
  typeof input === "string" ? input : JSON.stringify(input === undefined ? {} : input);

/** Never splits a character. */
export function* pieces(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff && end < text.length) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

function partsOf(answer: Answer, callId: (index: number) => string): AnswerPart[] {
  const written = answer.parts ?? [
    ...(answer.thinking === undefined ? [] : [{ thinking: answer.thinking }]),
    ...(answer.text === undefined ? [] : [{ text: answer.text }]),
    ...(answer.calls ?? []),
  ];
  let calls = 0;
  return written.map((part): AnswerPart => {
    if ("tool" in part && part.tool !== undefined) {
      const id = (part.id ?? callId(calls++)) as CallId;
      return { type: "tool_call", callId: id, name: part.tool, input: part.input === undefined ? {} : part.input };
    }
    if ("text" in part && part.text !== undefined) return { type: "text", text: part.text };
    const { thinking = "", signature, redacted } = part as { thinking?: string; signature?: string; redacted?: string };
    return { type: "thinking", text: thinking, ...(signature && { signature }), ...(redacted && { redacted }) };
  });
}
