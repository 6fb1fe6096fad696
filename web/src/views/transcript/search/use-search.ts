import { useCallback, useEffect, useState } from "react";
import type { AgentView } from "../../../../../src/view/index.ts";
import { type Hits, useHits } from "./use-hits.ts";

/** Looking for words in one agent's transcript. */
export interface Search {
  readonly words: string;
  readonly hits: Hits;
  /** The row that was gone to last, if it is still one of them. */
  readonly current: number | undefined;
  setWords(words: string): void;
  /** To the next one with 1, to the one before with -1; from the end it goes on at the beginning. */
  step(by: 1 | -1): void;
}

/** `firstSeen` is the first row on the screen: the search begins there. */
export function useSearch(agent: AgentView, words: string, { setWords, firstSeen }: Source): Search {
  const hits = useHits(agent, words);
  const [gone, setGone] = useState<{ readonly words: string; readonly row: number } | undefined>(undefined);
  const current = gone?.words === words && hits.rows.includes(gone.row) ? gone.row : undefined;
  const isThere = hits.rows.length > 0 && gone?.words !== words;
  useEffect(() => {
    if (!isThere) return;
    const from = firstSeen();
    const row = hits.rows.find((each) => each >= from) ?? hits.rows.at(-1);
    // While it still looks, there may be one nearer to where somebody is.
    if (row !== undefined && (row >= from || !hits.isLooking)) setGone({ words, row });
  }, [isThere, hits, words, firstSeen]);
  const step = useCallback(
    (by: 1 | -1) => {
      const { rows } = hits;
      if (rows.length === 0) return;
      const at = gone?.row ?? firstSeen();
      const next =
        by === 1 ? (rows.find((row) => row > at) ?? rows[0]) : (rows.findLast((row) => row < at) ?? rows.at(-1));
      if (next !== undefined) setGone({ words, row: next });
    },
    [hits, gone, words, firstSeen],
  );
  return { words, hits, current, setWords, step };
}

interface Source {
  setWords(words: string): void;
  firstSeen(): number;
}
