import { AgentColor, type ContentPart, visibleLine, visibleText } from "../../../../src/protocol/index.ts";

/** A part of what was said, as text. */
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

/** The block that a model reads, for a person: who it is from and what it says. */
export function mailIn(text: string): {
  readonly from: string;
  readonly words: string;
  readonly color: AgentColor | undefined;
} {
  const block = /^<teammate-message([^>]*)>\n?([\s\S]*?)\n?<\/teammate-message>$/.exec(text);
  const from = /(?:teammate_id|from)="([^"]*)"/.exec(block?.[1] ?? "")?.[1] ?? "somebody";
  const color = /color="(\w+)"/.exec(block?.[1] ?? "")?.[1];
  return {
    from: visibleLine(unescaped(from)),
    words: unescaped(block?.[2] ?? text),
    color: AgentColor.options.find((known) => known === color),
  };
}

/** The summary of a notification; its tags are for models. */
export function signalText(text: string): string {
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1];
  const result = /<result>([\s\S]*?)<\/result>/.exec(text)?.[1];
  return visibleText(unescaped([summary, result].filter((part) => part !== undefined).join("\n") || text).trim());
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
