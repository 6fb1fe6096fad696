import { scrolled } from "../transcript/scroll-window.ts";

/** How much of a request the user has read. */
export interface Reading {
  readonly top: number;
  /** The number of lines shown so far, from the first. */
  readonly seenTo: number;
  /** The screen width at that time. */
  readonly width: number;
  /** True if all lines were shown. */
  readonly isSeen: boolean;
}

/** The part of the screen that shows the request. */
export interface Page {
  readonly width: number;
  readonly height: number;
  /** The number of lines of the request. */
  readonly count: number;
  /** True while the request is read without the answers. */
  readonly isReading: boolean;
}

export const unread = { top: 0, seenTo: 0, isSeen: false };

/** Another width wraps lines differently, so a partly read request starts again. */
export function fitToPage<R extends Reading>(reading: R, page: Page): R {
  const { top, seenTo } = reading.width === page.width || reading.isSeen ? reading : unread;
  return { ...reading, seenTo, top: scrolled(page, top) };
}

export const scrollTo = <R extends Reading>(reading: R, page: Page, top: number): R => ({
  ...fitToPage(reading, page),
  width: page.width,
  top: scrolled(page, top),
});

/** Only drawn lines count as seen. */
export function afterDraw<R extends Reading>(reading: R, page: Page, top: number): R {
  const { seenTo: before, isSeen } = fitToPage(reading, page);
  const seenTo = top <= before ? Math.max(before, top + page.height) : before;
  return { ...reading, top, seenTo, width: page.width, isSeen: isSeen || (!page.isReading && seenTo >= page.count) };
}
