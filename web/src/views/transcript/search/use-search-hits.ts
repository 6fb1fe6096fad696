import { useEffect, useMemo, useRef, useState } from "react";
import { type AgentView, itemAt } from "../../../../../src/view/index.ts";
import { createMatcher } from "./matcher.ts";

export interface SearchHits {
  /** Rows of the transcript, from the first to the last. */
  readonly rows: readonly number[];
  /** There may be more. */
  readonly isSearching: boolean;
}

const none: SearchHits = { rows: [], isSearching: false };

/** Keys and frames come between two pieces of a long search. */
const pieceMs = 10;
/** Whoever writes on is not waited for with what was written so far. */
const pauseMs = 120;

/** Which rows have the words in them; of none while there are no words. Goes on as the transcript grows. */
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
      // Where it has been all through, what is known stays until there is more.
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
