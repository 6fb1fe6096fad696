import { patternOf } from "./matcher.ts";

/** Maximum number of highlighted matches on the screen. */
const most = 500;

/**
 * Highlights matches without changing the DOM, as ranges that the browser paints. Returns the first range inside
 * `current`. Matches that span elements (such as bold text in the middle) are found but not highlighted.
 */
export function highlightMatches(place: HTMLElement, query: string, current: Element | null): Range | undefined {
  if (!("highlights" in CSS)) return undefined;
  const isAsked = query.trim() !== "";
  const ranges = isAsked ? rangesIn(place, patternOf(query, "giu")) : [];
  const isCurrent = (range: Range) => current?.contains(range.startContainer) ?? false;
  CSS.highlights.set("found", new Highlight(...ranges.filter((range) => !isCurrent(range))));
  CSS.highlights.set("found-current", new Highlight(...ranges.filter(isCurrent)));
  return ranges.find(isCurrent);
}

export function clearHighlights(): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  CSS.highlights.delete("found-current");
}

function rangesIn(place: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < most; node = walker.nextNode()) {
    for (const found of (node.nodeValue ?? "").matchAll(pattern)) {
      if (found[0] === "" || ranges.length >= most) break;
      const range = new Range();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
