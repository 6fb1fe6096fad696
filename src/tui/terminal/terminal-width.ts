/** Returns the width in columns of visible text without tabs. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Splits text into graphemes. */
export function graphemesOf(text: string): readonly string[] {
  if (isPlain(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cuts text to a width. Cut text ends in a mark. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return width < 1 ? "" : `${kept}…`;
}

export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x7f) return code < 0x20 ? 0 : grapheme.includes("\u{fe0f}") ? 2 : 1;
  if (nothing.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  return isWide(code) ? 2 : 1;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const nothing = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]+$/u;

const emoji = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u{1f1e6}-\u{1f1ff}]{2})/u;

/** Ranges of East Asian wide and full-width characters in Unicode. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

const isWide = (code: number): boolean => code >= 0x1100 && wide.some(([from, to]) => code >= from && code <= to);
