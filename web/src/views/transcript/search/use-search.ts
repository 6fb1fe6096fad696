import { useCallback, useEffect, useState } from "react";
import type { AgentView } from "../../../../../src/view/index.ts";
import { type SearchHits, useSearchHits } from "./use-search-hits.ts";

/** The search in one agent's transcript. */
export interface Search {
  readonly query: string;
  readonly hits: SearchHits;
  /** The last visited row, if it still matches. */
  readonly current: number | undefined;
  setQuery(query: string): void;
  /** Moves to the next match with 1, to the previous with -1; wraps at the ends. */
  step(by: 1 | -1): void;
}

/** `firstSeen` is the first visible row: the search starts there. */
export function useSearch(agent: AgentView, query: string, { setQuery, firstSeen }: Source): Search {
  const hits = useSearchHits(agent, query);
  const [gone, setGone] = useState<{ readonly query: string; readonly row: number } | undefined>(undefined);
  const current = gone?.query === query && hits.rows.includes(gone.row) ? gone.row : undefined;
  const isOnHit = hits.rows.length > 0 && gone?.query !== query;
  useEffect(() => {
    if (!isOnHit) return;
    const from = firstSeen();
    const row = hits.rows.find((each) => each >= from) ?? hits.rows.at(-1);
    // While the search runs, a nearer match may still be found.
    if (row !== undefined && (row >= from || !hits.isSearching)) setGone({ query, row });
  }, [isOnHit, hits, query, firstSeen]);
  const step = useCallback(
    (by: 1 | -1) => {
      const { rows } = hits;
      if (rows.length === 0) return;
      const at = gone?.row ?? firstSeen();
      const next =
        by === 1 ? (rows.find((row) => row > at) ?? rows[0]) : (rows.findLast((row) => row < at) ?? rows.at(-1));
      if (next !== undefined) setGone({ query, row: next });
    },
    [hits, gone, query, firstSeen],
  );
  return { query, hits, current, setQuery, step };
}

interface Source {
  setQuery(query: string): void;
  firstSeen(): number;
}
