import { type RefObject, useEffect, useRef } from "react";
import { highlightMatches, clearHighlights } from "./highlight-matches.ts";

interface Marked {
  readonly query: string | undefined;
  /** The current row. */
  readonly current: number | undefined;
  scrollTo(offset: number): void;
}

/** Number of frames in which rows reach their final height. */
const maxTries = 30;

/** Highlights the query in the drawn rows, and scrolls the first match of the current row into view. */
export function useMatchHighlights(
  scroller: RefObject<HTMLElement | null>,
  { query, current, scrollTo }: Marked,
): void {
  const shown = useRef<string | undefined>(undefined);
  const goal = current === undefined ? undefined : `${current} ${query ?? ""}`;
  // After every drawing: rows change while the user scrolls.
  useEffect(() => {
    const box = scroller.current;
    if (query === undefined || !box) return;
    const row = current === undefined ? null : box.querySelector(`[data-index="${current}"]`);
    const range = highlightMatches(box, query, row);
    if (!range || shown.current === goal) return;
    let tries = 0;
    let seenFor = 0;
    const look = () => {
      const [seen, found] = [box.getBoundingClientRect(), range.getBoundingClientRect()];
      // In a row taller than the window, the match may not be in the middle.
      const isSeen = found.top >= seen.top && found.bottom <= seen.bottom;
      if (!isSeen) scrollTo(box.scrollTop + found.top - (seen.top + seen.bottom) / 2);
      seenFor = isSeen ? seenFor + 1 : 0;
      tries += 1;
      if (seenFor === 3 || tries === maxTries) shown.current = goal;
      else frame = requestAnimationFrame(look);
    };
    let frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => (query === undefined ? undefined : clearHighlights), [query]);
}
