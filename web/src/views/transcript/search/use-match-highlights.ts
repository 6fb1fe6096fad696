import { type RefObject, useEffect, useRef } from "react";
import { highlightMatches, clearHighlights } from "./highlight-matches.ts";

interface Marked {
  readonly query: string | undefined;
  /** The row that was gone to. */
  readonly current: number | undefined;
  scrollTo(offset: number): void;
}

/** In so many frames rows have taken the height that they turn out to have. */
const maxTries = 30;

/** Marks the words in the rows that are drawn, and brings the first one of the current row to where it can be seen. */
export function useMatchHighlights(
  scroller: RefObject<HTMLElement | null>,
  { query, current, scrollTo }: Marked,
): void {
  const shown = useRef<string | undefined>(undefined);
  const goal = current === undefined ? undefined : `${current} ${query ?? ""}`;
  // After every drawing: rows come and go while one scrolls.
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
      // The middle of a row that is taller than the window is not where the words are.
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
