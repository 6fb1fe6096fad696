/** The text on one line: each run of white space becomes one space. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The text without the full stop at its end, for a longer sentence. */
export const withoutStop = (text: string): string => text.replace(/\.$/, "");

/** The text in at most `max` characters. A longer text ends with "…". */
export const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

/** The first `max` characters of a longer text, followed by `mark`. */
export const cutAfter = (text: string, max: number, mark = "…"): string =>
  text.length <= max ? text : `${text.slice(0, max)}${mark}`;
