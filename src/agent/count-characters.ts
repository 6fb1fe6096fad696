import type { AnswerPart, ContentPart, ToolResultPart } from "../protocol/index.ts";

/** Images count as a fixed amount: their size in bytes says nothing about their tokens. */
const imageCharacters = 6_000;

export function countCharacters(parts: readonly (ToolResultPart | ContentPart | AnswerPart)[]): number {
  let sum = 0;
  for (const part of parts) {
    switch (part.type) {
      case "text":
      case "thinking":
        sum += part.text.length;
        break;
      case "tool_call":
        sum += part.name.length + JSON.stringify(part.input ?? null).length;
        break;
      case "tool_result":
        sum += countCharacters(part.content);
        break;
      case "image":
        sum += imageCharacters;
        break;
      case "document":
        sum += Math.ceil(part.data.length / 8);
        break;
    }
  }
  return sum;
}
