import { redactSecrets } from "../../platform/index.ts";
import type { ContentPart, ToolDisplay, ToolOutcome } from "../../protocol/index.ts";
import { cleanText, wholeCharacters } from "./clean-text.ts";

const defaultResultLimit = 30_000;

/** Saves text in a file that `Read` may read, and returns its path. */
type SaveOutput = (name: string, data: string) => Promise<string>;

export interface BoundOptions {
  /** Characters of text in one result. Default: `defaultResultLimit`. */
  readonly limit?: number;
  readonly save: SaveOutput;
  /** Secrets to redact in addition to those found by their form. */
  readonly secrets?: readonly string[];
}

/**
 * Prepares an outcome for the model: clean, well-formed text of limited length, without secrets. Long text is cut in
 * the middle. A notice there says how much was cut and where the whole text is.
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

/** Keeps two thirds from the beginning and one third from the end, and cuts at nearby line ends. */
function cutMiddle(text: string, limit: number, savedTo: string): string {
  const head = wholeCharacters(backToLineEnd(text.slice(0, Math.floor((limit * 2) / 3))));
  const tail = wholeCharacters(onToLineStart(text.slice(text.length - Math.floor(limit / 3))));
  return `${head}${cutNotice(text.length - head.length - tail.length, savedTo)}${tail}`;
}

const cutNotice = (characters: number, savedTo: string) =>
  `\n\n[… ${characters} characters cut here. The full text is in ${savedTo}: read parts of that file, or search in it.]\n\n`;

function backToLineEnd(text: string): string {
  const at = text.lastIndexOf("\n");
  return at > text.length - 1000 && at > 0 ? text.slice(0, at) : text;
}

function onToLineStart(text: string): string {
  const at = text.indexOf("\n");
  return at >= 0 && at < 1000 ? text.slice(at + 1) : text;
}
