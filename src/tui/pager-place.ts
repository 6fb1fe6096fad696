/** Something long that is read in parts: things one after another, each of some lines that are laid out when they are asked for. */
export interface PagerText<L = unknown> {
  readonly count: number;
  lines(index: number): readonly L[];
}

/** Which line is the first on the screen. */
export interface PagerPlace {
  readonly item: number;
  readonly line: number;
}

export const startPlace: PagerPlace = { item: 0, line: 0 };

/** The lines from there on, at most so many. Only what is shown is laid out. */
export function linesFrom<L>(text: PagerText<L>, { item, line }: PagerPlace, height: number): readonly L[] {
  const lines: L[] = [];
  for (let at = item; at < text.count && lines.length < height; at++)
    lines.push(...text.lines(at).slice(at === item ? line : 0));
  return lines.slice(0, height);
}

/** Where the last lines fill the screen. */
export const endPlace = (text: PagerText, height: number): PagerPlace =>
  back(text, { item: text.count, line: 0 }, height);

/** So many lines on, or back; never beyond the end or the beginning. */
export function movedBy(
  text: PagerText,
  place: PagerPlace,
  { by, height }: { readonly by: number; readonly height: number },
): PagerPlace {
  if (by < 0) return back(text, place, -by);
  const next = onwards(text, place, by);
  return isAtEnd(text, next, height) ? endPlace(text, height) : next;
}

export const isAtEnd = (text: PagerText, place: PagerPlace, height: number): boolean =>
  linesFrom(text, onwards(text, place, height), 1).length === 0;

function onwards(text: PagerText, { item, line }: PagerPlace, by: number): PagerPlace {
  let left = by + line;
  for (let at = item; at < text.count; at++) {
    const { length } = text.lines(at);
    if (left < length) return { item: at, line: left };
    left -= length;
  }
  return { item: text.count, line: 0 };
}

function back(text: PagerText, { item, line }: PagerPlace, by: number): PagerPlace {
  if (line >= by) return { item, line: line - by };
  let left = by - line;
  for (let at = item - 1; at >= 0; at--) {
    const { length } = text.lines(at);
    if (length >= left) return { item: at, line: length - left };
    left -= length;
  }
  return startPlace;
}

/** The next line that fits after the place, or the one before it, going round once; undefined: there is none. */
export function findLine<L>(
  text: PagerText<L>,
  place: PagerPlace,
  { by, fits }: { readonly by: 1 | -1; readonly fits: (line: L) => boolean },
): PagerPlace | undefined {
  for (let step = 0; step <= text.count; step++) {
    const item = (((place.item + step * by) % text.count) + text.count) % text.count;
    const found = text.lines(item).flatMap((each, line) => (fits(each) ? [line] : []));
    const isHere = step === 0;
    const isAround = step === text.count;
    const line =
      by === 1
        ? found.find((each) => isAround || !isHere || each > place.line)
        : found.findLast((each) => isAround || !isHere || each < place.line);
    if (line !== undefined) return { item, line };
  }
  return undefined;
}
