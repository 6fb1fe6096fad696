/* oxlint-disable no-control-regex -- this file handles control characters */
/**
 * Returns text for a model: well-formed, without terminal sequences and control characters other than newline and tab.
 * Both `\r\n` and a bare `\r` become a newline, so that the overwritten states of a progress bar stay readable.
 */
export function cleanText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(/\r+\n/g, "\n")
    .replace(terminalSequences, "")
    .replace(/\r/g, "\n")
    .replace(/.\x08/gu, "")
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Like `cleanText`, but drops nothing: control characters are shown as their Unicode pictures. */
export function showControls(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(/[\x00-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421")
    .replace(/[\x80-\x9f]/g, "\ufffd")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

const suspicious = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|\p{Surrogate}/u;

/** Strings (OSC, DCS, SOS, PM, APC) up to their end, control sequences (CSI), and all other escape sequences. */
const terminalSequences =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[ -/]{0,8}[0-~]/g;

/** Removes half of a surrogate pair at either end of a cut text. */
export function wholeCharacters(text: string): string {
  const from = isLow(text.charCodeAt(0)) ? 1 : 0;
  const to = isHigh(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
  return text.slice(from, to);
}

const isHigh = (code: number) => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number) => code >= 0xdc00 && code <= 0xdfff;
