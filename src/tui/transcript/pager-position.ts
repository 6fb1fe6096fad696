/** A long text of items. The lines of an item are laid out on request. */
export interface PagerText<L = unknown> {
  readonly count: number;
  lines(index: number): readonly L[];
}

/** The position of the first line on the screen. */
export interface PagerPosition {
  readonly item: number;
  readonly line: number;
}

export const startPosition: PagerPosition = { item: 0, line: 0 };

/** Returns at most `height` lines from a position. Only these are laid out. */
export function linesFrom<L>(text: PagerText<L>, { item, line }: PagerPosition, height: number): readonly L[] {
  const lines: L[] = [];
  for (let at = item; at < text.count && lines.length < height; at++)
    lines.push(...text.lines(at).slice(at === item ? line : 0));
  return lines.slice(0, height);
}

/** Returns the position at which the last lines fill the screen. */
export const endPosition = (text: PagerText, height: number): PagerPosition =>
  back(text, { item: text.count, line: 0 }, height);

/** Moves by a number of lines, but never past the start or the end. */
export function movedBy(
  text: PagerText,
  position: PagerPosition,
  { by, height }: { readonly by: number; readonly height: number },
): PagerPosition {
  if (by < 0) return back(text, position, -by);
  const next = forward(text, position, by);
  return isAtEnd(text, next, height) ? endPosition(text, height) : next;
}

export const isAtEnd = (text: PagerText, position: PagerPosition, height: number): boolean =>
  linesFrom(text, forward(text, position, height), 1).length === 0;

function forward(text: PagerText, { item, line }: PagerPosition, by: number): PagerPosition {
  let left = by + line;
  for (let at = item; at < text.count; at++) {
    const { length } = text.lines(at);
    if (left < length) return { item: at, line: left };
    left -= length;
  }
  return { item: text.count, line: 0 };
}

function back(text: PagerText, { item, line }: PagerPosition, by: number): PagerPosition {
  if (line >= by) return { item, line: line - by };
  let left = by - line;
  for (let at = item - 1; at >= 0; at--) {
    const { length } = text.lines(at);
    if (length >= left) return { item: at, line: length - left };
    left -= length;
  }
  return startPosition;
}

/** Finds the next or previous matching line and wraps around once. Returns undefined if there is none. */
export function findLine<L>(
  text: PagerText<L>,
  position: PagerPosition,
  { by, matches }: { readonly by: 1 | -1; readonly matches: (line: L) => boolean },
): PagerPosition | undefined {
  for (let step = 0; step <= text.count; step++) {
    const item = (((position.item + step * by) % text.count) + text.count) % text.count;
    const found = text.lines(item).flatMap((each, line) => (matches(each) ? [line] : []));
    const isHere = step === 0;
    const isAround = step === text.count;
    const line =
      by === 1
        ? found.find((each) => isAround || !isHere || each > position.line)
        : found.findLast((each) => isAround || !isHere || each < position.line);
    if (line !== undefined) return { item, line };
  }
  return undefined;
}
