import { useEffect, useMemo, useRef, useState } from "react";
import { type AgentView, itemAt } from "../../../../../src/view/index.ts";
import { createMatcher } from "./matcher.ts";

export interface SearchHits {
  /** Rows of the transcript, in order. */
  readonly rows: readonly number[];
  /** True while there may be more. */
  readonly isSearching: boolean;
}

const none: SearchHits = { rows: [], isSearching: false };

/** Length of a slice of a long search; keys and frames are handled between slices. */
const pieceMs = 10;
/** Delay after the last key press before the search starts. */
const pauseMs = 120;

/** The rows that match the query; empty without a query. Continues as the transcript grows. */
export function useSearchHits({ transcript, waitingPrompts }: AgentView, query: string): SearchHits {
  const isAsked = query.trim() !== "";
  const matches = useMemo(() => (isAsked ? createMatcher(query) : undefined), [query, isAsked]);
  const [found, setFound] = useState<{ readonly of: typeof matches; readonly hits: SearchHits }>({
    of: undefined,
    hits: none,
  });
  const last = useRef<typeof matches>(undefined);
  useEffect(() => {
    if (!matches) return;
    const isNew = last.current !== matches;
    last.current = matches;
    const rows: number[] = [];
    const count = transcript.length + waitingPrompts.length;
    let at = 0;
    const look = () => {
      const until = performance.now() + pieceMs;
      for (; at < count && (at % 64 !== 0 || performance.now() < until); at++) {
        const item = itemAt(transcript, at) ?? waitingPrompts[at - transcript.length];
        if (item && matches(item)) rows.push(at);
      }
      const isSearching = at < count;
      // After a complete search, the result stays until it changes.
      setFound((before) =>
        isSearching && before.of === matches ? before : { of: matches, hits: { rows: [...rows], isSearching } },
      );
      if (isSearching) timer = setTimeout(look, 0);
    };
    let timer = setTimeout(look, isNew ? pauseMs : 0);
    return () => clearTimeout(timer);
  }, [matches, transcript, waitingPrompts]);
  if (!matches) return none;
  return found.of === matches ? found.hits : looking;
}

const looking: SearchHits = { rows: [], isSearching: true };
