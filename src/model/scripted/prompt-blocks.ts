import { createHash } from "node:crypto";
import type { AnswerPart, Message, ModelRequest } from "../../protocol/index.ts";
import { cacheTtlMs, type PromptBlock } from "./prompt-cache.ts";
import { inputText } from "./reply.ts";

export interface PromptMeasure {
  /**
   * Sets breakpoints where the adapters do: after tools and system, on the last two user messages, and on the last
   * result.
   */
  blocksOf(request: ModelRequest): PromptBlock[];
}

/** Caches measurements by object identity: a conversation only grows at its end, so only the end is measured again. */
export function createPromptMeasure(): PromptMeasure {
  const measured = new WeakMap<object, PromptBlock>();
  return {
    blocksOf({ tools, system, messages }) {
      const head = [
        ...tools.map((tool) => remember(tool, "tool")),
        ...system.map((text) => promptBlock({ role: "system", text })),
      ];
      const users = messages.flatMap((message, index) => (message.role === "user" ? [index] : [])).slice(-2);
      return [
        ...markLast(head),
        ...messages.flatMap((message, index) => {
          const blocks = message.parts.map((part) => remember(part, message.role));
          if (!users.includes(index)) return blocks;
          const results = index === messages.length - 1 ? lastResult(message) : -1;
          return markLast(blocks.map((block, at) => (at === results ? { ...block, breakpointMs: cacheTtlMs } : block)));
        }),
      ];
    },
  };

  function remember(value: object, role: Message["role"] | "tool"): PromptBlock {
    const known = measured.get(value);
    if (known) return known;
    const block = promptBlock({ role, ...value });
    measured.set(value, block);
    return block;
  }
}

/** Counts four characters per token, and a flat rate for images and documents because their length says nothing. */
export function promptBlock(value: object): PromptBlock {
  let attachments = 0;
  const text = JSON.stringify(value, (key, item: unknown) => {
    if (key !== "data" || typeof item !== "string") return item;
    attachments += 1;
    return createHash("sha256").update(item).digest("base64");
  });
  const digest = createHash("sha256").update(text).digest("base64");
  return { digest, tokens: Math.ceil(text.length / 4) + attachments * 1500 };
}

export const outputTokensOf = (parts: readonly AnswerPart[]): number =>
  parts.reduce((sum, part) => {
    const text = part.type === "tool_call" ? part.name + inputText(part.input) : part.text;
    return sum + Math.ceil(text.length / 4);
  }, 0);

const markLast = (blocks: PromptBlock[]): PromptBlock[] =>
  blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, breakpointMs: cacheTtlMs } : block));

const lastResult = ({ parts }: Message): number => parts.findLastIndex(({ type }) => type === "tool_result");
