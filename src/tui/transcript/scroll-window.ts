/** The visible part of a long list. */
export interface ScrollWindow {
  readonly top: number;
  readonly height: number;
  readonly count: number;
}

/** Returns `to` limited to the valid positions of the window. */
export const scrolled = ({ height, count }: Omit<ScrollWindow, "top">, to: number): number =>
  Math.max(0, Math.min(to, count - height));

/** Returns the window position that shows a row with the least movement. */
export function topFor(row: number, { top, height, count }: ScrollWindow): number {
  const wanted = row < top ? row : row >= top + height ? row - height + 1 : top;
  return Math.max(0, Math.min(wanted, count - height));
}
