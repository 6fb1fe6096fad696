import type { ContentPart } from "../../../../src/protocol/index.ts";

/** Converts a part of a prompt to text. */
export function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return `[image, ${part.mediaType}]`;
    case "document":
      return `[document ${part.name}]`;
  }
}
