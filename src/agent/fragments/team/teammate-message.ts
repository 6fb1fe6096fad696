import { type Mail, oneLine, visibleLine, visibleText } from "../../../protocol/index.ts";
import { cleanText } from "../../../tool/index.ts";
import { escapeMarkup, escapeSenders } from "../escape-markup.ts";

/**
 * A member's message as another member's model reads it. Nothing in it can close the tag or open
 * another sender's; other markup stays as it is. Characters that hide, reorder or move text are made visible.
 */
export function teammateMessage(mail: MessageSender, text: string): string {
  const attributes = [
    ["teammate_id", mail.from],
    ["unsigned", mail.sender === "unverified" ? "true" : undefined],
    ["color", mail.color],
    ["summary", mail.summary],
  ]
    .filter((attribute): attribute is [string, string] => attribute[1] !== undefined)
    .map(([name, value]) => ` ${name}="${escapeMarkup(attributeText(value))}"`);
  return `<teammate-message${attributes.join("")}>\n${escapeSenders(bounded(visibleText(cleanText(text))))}\n</teammate-message>`;
}

/** Mail that its store does not verify has no `sender`. */
export interface MessageSender extends Pick<Mail, "from" | "color" | "summary"> {
  readonly sender?: "verified" | "unverified" | undefined;
}

const attributeText = (value: string) => visibleLine(wholeStart(oneLine(cleanText(value)), longestAttribute));

function bounded(text: string): string {
  if (text.length <= longestText) return text;
  return `${wholeStart(text, longestText)}\n[cut: ${text.length - longestText} more characters]`;
}

const wholeStart = (text: string, length: number) =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

/** More than a mail record can hold: longer text is in a file. */
const longestText = 70_000;
const longestAttribute = 200;
