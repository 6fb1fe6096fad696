import { redactSecrets } from "../../platform/index.ts";
import type { ContentPart, ToolDisplay, ToolOutcome } from "../../protocol/index.ts";
import { cleanText, wholeCharacters } from "./clean-text.ts";

const defaultResultLimit = 30_000;

/** Keeps text in a file that `Read` may read, and tells its path. */
type SaveOutput = (name: string, data: string) => Promise<string>;

export interface BoundOptions {
  /** Characters of text in one result; `defaultResultLimit` where it is not given. */
  readonly limit?: number;
  readonly save: SaveOutput;
  /** Secrets that are to be kept out although nothing about them looks like one. */
  readonly secrets?: readonly string[];
}

/**
 * What the model reads of an outcome: clean, well-formed text of a bounded length, without secrets. What is cut is cut in
 * the middle, with a notice that says how much and where the whole is.
 */
export async function boundOutcome(raw: ToolOutcome, options: BoundOptions): Promise<ToolOutcome> {
  const redact = (text: string) => redactSecrets(text, options.secrets);
  const outcome = raw.display ? { ...raw, display: redactDisplay(raw.display, redact) } : raw;
  const limit = options.limit ?? defaultResultLimit;
  const content = outcome.content.map((part) =>
    part.type === "text" ? { ...part, text: redact(cleanText(part.text)) } : part,
  );
  const length = content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (length <= limit) return { ...outcome, content };

  const whole = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const savedTo = outcome.savedTo ?? (await options.save("result.txt", whole));
  const others = content.filter((part): part is Exclude<ContentPart, { type: "text" }> => part.type !== "text");
  return { ...outcome, content: [{ type: "text", text: cutMiddle(whole, limit, savedTo) }, ...others], savedTo };
}

function redactDisplay(display: ToolDisplay, redact: (text: string) => string): ToolDisplay {
  switch (display.kind) {
    case "diff":
      return { ...display, patch: redact(display.patch) };
    case "summary":
      return { ...display, text: redact(display.text) };
    case "terminal":
      return display;
  }
}

/** Two thirds from the beginning and one from the end, at line ends where there are any near. */
function cutMiddle(text: string, limit: number, savedTo: string): string {
  const head = wholeCharacters(backToLineEnd(text.slice(0, Math.floor((limit * 2) / 3))));
  const tail = wholeCharacters(onToLineStart(text.slice(text.length - Math.floor(limit / 3))));
  return `${head}${cutNotice(text.length - head.length - tail.length, savedTo)}${tail}`;
}

const cutNotice = (characters: number, savedTo: string) =>
  `\n\n[… ${characters} characters cut here. The whole is in ${savedTo}: use Read with offset and limit, or Grep, on that file.]\n\n`;

function backToLineEnd(text: string): string {
  const at = text.lastIndexOf("\n");
  return at > text.length - 1000 && at > 0 ? text.slice(0, at) : text;
}

function onToLineStart(text: string): string {
  const at = text.indexOf("\n");
  return at >= 0 && at < 1000 ? text.slice(at + 1) : text;
}
