import { AgentColor, visibleLine } from "../../protocol/index.ts";

/** Mail as a person reads it. */
export interface MailText {
  readonly from: string;
  readonly words: string;
  readonly color: AgentColor | undefined;
}

/** Extracts the sender and the text from the mail block that a model reads. */
export function mailIn(text: string): MailText {
  const block = /^<teammate-message([^>]*)>\n?([\s\S]*?)\n?<\/teammate-message>$/.exec(text);
  const from = /(?:teammate_id|from)="([^"]*)"/.exec(block?.[1] ?? "")?.[1] ?? "unknown";
  const color = /color="(\w+)"/.exec(block?.[1] ?? "")?.[1];
  return {
    from: visibleLine(unescaped(from)),
    words: unescaped(block?.[2] ?? text),
    color: AgentColor.options.find((known) => known === color),
  };
}

/** Returns a notification as a person reads it: its summary and result, or its text. The tags are only for models. */
export function notificationText(text: string): string {
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1];
  const result = /<result>([\s\S]*?)<\/result>/.exec(text)?.[1];
  const parts = [summary, result].filter((part) => part !== undefined);
  return unescaped(parts.join("\n") || withoutTags(text)).trim();
}

const withoutTags = (text: string): string =>
  text
    .replace(/<\/?(?:troupe-notice|task)>\n?/g, "")
    .replace(/<task id="(\d+)"[^>\n]* subject="([^"\n]*)">/g, "Task #$1: $2");

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
