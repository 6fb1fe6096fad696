import { AgentColor, type ContentPart, visibleLine } from "../../protocol/index.ts";
import { withoutEvidence } from "./call-text.ts";

/** Removes the parts that the runtime adds to a prompt for the model: the rules of plan mode, and attached files. */
export const partsForPeople = (parts: readonly ContentPart[]): readonly ContentPart[] => {
  const shown = parts.filter((part, index) => index === 0 || part.type !== "text" || !addedPart.test(part.text));
  return shown.length === 0 || shown.length === parts.length ? parts : shown;
};

const addedPart = /^<plan-mode>[\s\S]*<\/plan-mode>$|^<file path="[^\n]*">\n[\s\S]*\n<\/file>$/;

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
    words: mailWords(withoutEvidence(unescaped(block?.[2] ?? text))),
    color: AgentColor.options.find((known) => known === color),
  };
}

/** Removes the heading of a report, and the instruction in a mail that asks for an answer. */
const mailWords = (text: string): string =>
  text
    .replace(/^\S+ is idle\.\n(?:Its last answer|What it said):\n/, "")
    .replace(/\n\nAnswer with SendMessage to [\s\S]*$/, "")
    .replace(/\n(?:Uncommitted files of [^\n]*|)If nothing (?:else )?would be lost, agree: SendMessage[\s\S]*$/, "");

/**
 * Returns a notification as a person reads it: what has ended and how, then its output; or the first sentence of a
 * notice. Tags, ids and advice are only for models.
 */
export function notificationText(text: string): string {
  if (!text.startsWith("<task-notification>")) return unescaped(noticeText(text)).trim();
  const part = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]?.trim() ?? "";
  const what = part("summary") || part("name") || "background job";
  const status = part("status") === "completed" ? "done" : part("status") === "killed" ? "stopped" : part("status");
  const why = part("reason") === "" ? "" : `: ${part("reason")}`;
  const head = status === "" ? what : `${what} · ${status}${why}`;
  const output = part("output") || part("result");
  return unescaped([head, ...(output === "" ? [] : [output])].join("\n")).trim();
}

function noticeText(text: string): string {
  const words = withoutTags(text).trim();
  const [, team] = /^You lead the team (\S+);/.exec(words) ?? [];
  if (team !== undefined) return `Team ${team} is ready.`;
  if (/^Task #\d+: /m.test(words)) return words.slice(words.search(/^Task #\d+: /m));
  const isNotice = text.startsWith("<troupe-notice>");
  return isNotice ? (/^[^\n]*?\.(?=\s|$)/.exec(words)?.[0] ?? words.split("\n", 1)[0] ?? "") : words;
}

const withoutTags = (text: string): string =>
  text
    .replace(/<\/?(?:troupe-notice|task)>\n?/g, "")
    .replace(/<task id="(\d+)"[^>\n]* subject="([^"\n]*)">/g, "Task #$1: $2");

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
