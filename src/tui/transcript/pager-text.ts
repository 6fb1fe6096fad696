import { groupKind, itemAt, type TranscriptItem } from "../../view/index.ts";
import type { PagerText } from "./pager-position.ts";
import { type Line, span } from "../terminal/terminal-lines.ts";
import type { Theme } from "../theme.ts";
import type { Viewed } from "./transcript-history.ts";
import { itemLines } from "./transcript-lines.ts";
import { linesAt } from "./transcript-group.ts";
import { draftLines, openCallLines } from "./transcript-live.ts";
import type { Look } from "./transcript-text.ts";

export interface PagerTextOptions {
  readonly theme: Theme;
  readonly width: number;
  /** True if results and thinking are shown completely. */
  readonly expanded: boolean;
}

/** Creates a transcript for the pager. The layout of an item is cached while the item exists. */
export function createPagerText({ theme, width, expanded }: PagerTextOptions): (viewed: Viewed) => PagerText<Line> {
  const known = new WeakMap<TranscriptItem, readonly Line[]>();
  return ({ list, agent, color }) => {
    const look: Look = { width, marks: theme.marks, cwd: agent?.cwd ?? "", expanded, isUnbounded: true, agent: color };
    // The current draft is at the end.
    const draft = agent ? draftLines(agent, look) : [];
    return {
      count: list.length + (draft.length > 0 ? 1 : 0),
      lines(index) {
        const item = itemAt(list, index);
        if (!item) return index === list.length ? draft : [];
        const before = known.get(item);
        if (before) return before;
        // A group grows with its last call, so its line is not cached.
        if (!expanded && groupKind(item) !== undefined) return linesAt(list, index, { ...look, from: 0 });
        const isOpen = item.kind === "call" && item.result === undefined && item.state !== "asked";
        const lines = isOpen ? [[], ...openCallLines(item, look)] : itemLines(item, look);
        known.set(item, lines);
        return lines;
      },
    };
  };
}

export const lineText = (line: Line): string => line.map(({ text }) => text).join("");

/** A query in lower case ignores case, as in other pagers. */
export function queryMatcher(query: string): (line: Line) => boolean {
  if (query === query.toLowerCase()) return (line) => lineText(line).toLowerCase().includes(query);
  return (line) => lineText(line).includes(query);
}

/** Highlights the matches of a query. */
export function highlightMatches(line: Line, query: string): Line {
  const isLoose = query === query.toLowerCase();
  return line.flatMap(({ text, style }) => {
    const pieces: Line[number][] = [];
    let from = 0;
    for (;;) {
      const at = (isLoose ? text.toLowerCase() : text).indexOf(query, from);
      if (at < 0 || query === "") return [...pieces, span(text.slice(from), style)];
      pieces.push(
        span(text.slice(from, at), style),
        span(text.slice(at, at + query.length), { ...style, inverse: true }),
      );
      from = at + query.length;
    }
  });
}
