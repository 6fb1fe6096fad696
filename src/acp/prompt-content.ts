import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ContentPart } from "../protocol/index.ts";

/** Converts an editor's prompt for the session. Links become names, embedded content is included. */
export function promptContent(blocks: readonly ContentBlock[]): string | ContentPart[] {
  const parts = blocks.map(partOf);
  const [only] = parts;
  // A prompt of text alone may be a slash command.
  return parts.length === 1 && only?.type === "text" ? only.text : parts;
}

function partOf(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", mediaType: block.mimeType, data: block.data };
    case "resource_link":
      return { type: "text", text: `[${block.name}](${pathOf(block.uri)})` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { type: "text", text: `<context uri="${resource.uri}">\n${resource.text}\n</context>` };
      return { type: "text", text: `[${resource.uri}: ${resource.mimeType ?? "data"}, cannot be read here]` };
    }
    case "audio":
      return { type: "text", text: "[audio, cannot be played here]" };
  }
}

/** Tools expect paths. */
const pathOf = (uri: string) => (uri.startsWith("file://") ? decodeURIComponent(new URL(uri).pathname) : uri);
