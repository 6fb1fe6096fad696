/** Which part of a long list is on the screen. */
export interface ScrollWindow {
  readonly top: number;
  readonly height: number;
  readonly count: number;
}

/** Moves a window by so many rows, within the list. */
export const scrolled = ({ height, count }: Omit<ScrollWindow, "top">, to: number): number =>
  Math.max(0, Math.min(to, count - height));

/** Where the window has to be for a row to be in it, moved as little as can be. */
export function topFor(row: number, { top, height, count }: ScrollWindow): number {
  const wanted = row < top ? row : row >= top + height ? row - height + 1 : top;
  return Math.max(0, Math.min(wanted, count - height));
}
