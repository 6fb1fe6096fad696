import stringWidth from "string-width";

/** Returns the width in columns of visible text without tabs. */
export function widthOf(text: string): number {
  if (!isSimple(text)) return stringWidth(text);
  return isNarrow(text) ? text.length : text.length + (text.match(wide)?.length ?? 0);
}

/** Splits text into graphemes. */
export function graphemesOf(text: string): readonly string[] {
  if (isSimple(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cuts text to a width. Cut text ends in a mark. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const grapheme of graphemesOf(text)) {
    used += widthOf(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return width < 1 ? "" : `${kept}…`;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Common characters that never combine with each other: Latin letters, punctuation, arrows and boxes, then kana, Han and
 * Hangul. They need no segmentation, which takes microseconds for each character.
 */
const narrowSet = "\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u259f";
const wideSet =
  "\\u3001-\\u3003\\u3008-\\u3011\\u3041-\\u3096\\u30a1-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff5e";

const narrow = new RegExp(`^[${narrowSet}]*$`);
const simple = new RegExp(`^[${narrowSet}${wideSet}]*$`);
const wide = new RegExp(`[${wideSet}]`, "g");

const isNarrow = (text: string): boolean => narrow.test(text);
const isSimple = (text: string): boolean => simple.test(text);
