/** Longer texts and paragraphs take too long to parse. */
const maxCharacters = 200_000;
const maxParagraph = 20_000;

/**
 * Marks that are nested deeper than any text for people. The parser recurses into them, or its time grows with the
 * square of their number.
 */
const tooDeep = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){60}|[*[!]{300}|^[ \t]{300}/m;

/** False for a text that the Markdown parser cannot handle in time. It is shown as plain text. */
export const isMarkdown = (text: string): boolean =>
  text.length <= maxCharacters &&
  !tooDeep.test(text) &&
  (text.length <= maxParagraph || text.split(/\n[ \t]*\n/).every(({ length }) => length <= maxParagraph));
