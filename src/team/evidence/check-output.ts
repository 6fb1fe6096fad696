import { cleanText } from "../../tool/index.ts";

/** Collects the output of a check and gives the part that shows why it failed. */
export interface CheckOutput {
  add(chunk: Buffer): void;
  text(): string;
}

const keptBytes = 262_144;
const shownCharacters = 1_500;
const failureCharacters = 600;

export function createCheckOutput(): CheckOutput {
  let chunks: Buffer[] = [];
  let size = 0;
  let dropped = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= 2 * keptBytes) return;
      const all = Buffer.concat(chunks);
      chunks = [all.subarray(-keptBytes)];
      dropped += all.length - keptBytes;
      size = keptBytes;
    },
    text: () => checkOutputText(cleanText(Buffer.concat(chunks).toString("utf8")).trimEnd(), dropped),
  };
}

/** The end of the output from the start of a line. Earlier lines that name a failure come first. */
export function checkOutputText(whole: string, droppedBefore = 0): string {
  const end = endFrom(whole, shownCharacters);
  if (end.length === whole.length && droppedBefore === 0) return whole;
  const before = whole.slice(0, whole.length - end.length);
  const failures = failureLines(before);
  const shortEnd = failures === "" ? end : endFrom(whole, shownCharacters - failures.length);
  const leftOut = (whole.length - shortEnd.length + droppedBefore).toLocaleString("en");
  const note = `[… ${leftOut} characters before this are left out]`;
  return failures === "" ? `${note}\n${end}` : `${failures}\n${note}\n${shortEnd}`;
}

/** A last line that is longer than the limit is cut. */
function endFrom(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(-limit);
  const isLineStart = text[text.length - limit - 1] === "\n";
  const lineStart = isLineStart ? 0 : end.indexOf("\n") + 1;
  return isLineStart || lineStart > 0 ? end.slice(lineStart) : end.replace(/^[\uDC00-\uDFFF]/, "");
}

function failureLines(text: string): string {
  const lines: string[] = [];
  let size = 0;
  for (const line of text.split("\n")) {
    if (!/not ok|fail|error/i.test(line)) continue;
    const shown = line.length <= 200 ? line : `${line.slice(0, 200)}…`;
    size += shown.length + 1;
    if (size > failureCharacters) break;
    lines.push(shown);
  }
  return lines.join("\n");
}
