/**
 * Makes text from a model, a tool, a file or a name safe for a terminal. Characters that would move the cursor, set the
 * clipboard, reorder the line or hide become visible and harmless. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(hidden, escapeCharacter);
}

/** The same for a one-line field such as a title or a name. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, (character) => escapeCharacter(character));
}

/**
 * Controls, format characters (bidi, zero width, tags), lone surrogates, line separators and everything without a
 * glyph.
 */
const invisible = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;

/** Format characters that have a glyph. */
const visibleException = String.raw`[\n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;

/** One variation selector after a character that can have one: without it many emoji become text. */
const selector = String.raw`(?<=[\p{Extended_Pictographic}\p{Ideographic}#*0-9])[\ufe0e\ufe0f]`;

/** Joiners between two emoji, and in scripts that need them. */
const joined = String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`;
const scripts = [
  "Arab",
  "Beng",
  "Deva",
  "Gujr",
  "Guru",
  "Knda",
  "Khmr",
  "Mlym",
  "Mong",
  "Mymr",
  "Orya",
  "Sinh",
  "Syrc",
  "Taml",
  "Telu",
];
const joining = `[${scripts.map((script) => String.raw`\p{Script=${script}}`).join("")}]`;
const shaped = String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`;

const suspicious = new RegExp(String.raw`(?!${visibleException})${invisible}`, "u");
const hidden = new RegExp(`(?!${visibleException}|${selector}|${joined}|${shaped})${invisible}`, "gu");

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}
