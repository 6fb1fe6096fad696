import { useEffect, useRef } from "react";
import { countWords } from "../../../parts/amounts.ts";
import type { Search } from "./use-search.ts";

/** Words to look for, how many there are, and from one to the next. */
export function SearchBar({ search, onClose }: { search: Search; onClose: () => void }) {
  const { words, hits, current, setWords, step } = search;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const at = current === undefined ? 0 : hits.rows.indexOf(current) + 1;
  return (
    <search className="transcript-search">
      <input
        ref={field}
        type="search"
        value={words}
        maxLength={500}
        placeholder="Find in this transcript"
        aria-label="Find in this transcript"
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          else if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
        }}
      />
      <span className="soft" role="status">
        {statusWords(words, search.hits, at)}
      </span>
      <button
        type="button"
        className="icon"
        aria-label="The one before"
        disabled={hits.rows.length === 0}
        onClick={() => step(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        className="icon"
        aria-label="The next one"
        disabled={hits.rows.length === 0}
        onClick={() => step(1)}
      >
        ↓
      </button>
      <button type="button" className="icon" aria-label="Close the search" onClick={onClose}>
        ×
      </button>
    </search>
  );
}

function statusWords(words: string, { rows, isLooking }: Search["hits"], at: number): string {
  if (words.trim() === "") return "";
  if (rows.length === 0) return isLooking ? "looking…" : "not found";
  const all = `${countWords(rows.length)}${isLooking ? "+" : ""}`;
  return at === 0 ? `${all} places` : `${countWords(at)} of ${all}`;
}
