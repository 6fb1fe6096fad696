import { AgentColor, type ContentPart, visibleLine, visibleText } from "../../../../src/protocol/index.ts";

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

/** Parses the mail block of the model's prompt: sender and text. */
export function mailIn(text: string): {
  readonly from: string;
  readonly words: string;
  readonly color: AgentColor | undefined;
} {
  const block = /^<teammate-message([^>]*)>\n?([\s\S]*?)\n?<\/teammate-message>$/.exec(text);
  const from = /(?:teammate_id|from)="([^"]*)"/.exec(block?.[1] ?? "")?.[1] ?? "unknown";
  const color = /color="(\w+)"/.exec(block?.[1] ?? "")?.[1];
  return {
    from: visibleLine(unescaped(from)),
    words: unescaped(block?.[2] ?? text),
    color: AgentColor.options.find((known) => known === color),
  };
}

/** The summary of a notification, without the tags for the model. */
export function signalText(text: string): string {
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1];
  const result = /<result>([\s\S]*?)<\/result>/.exec(text)?.[1];
  return visibleText(unescaped([summary, result].filter((part) => part !== undefined).join("\n") || text).trim());
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
