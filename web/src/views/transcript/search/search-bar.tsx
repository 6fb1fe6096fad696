import { useEffect, useRef } from "react";
import { formatCount } from "../../../parts/format-amounts.ts";
import type { Search } from "./use-search.ts";

/** The search field, the number of matches, and buttons to move between them. */
export function SearchBar({ search, onClose }: { search: Search; onClose: () => void }) {
  const { query, hits, current, setQuery: setWords, step } = search;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const at = current === undefined ? 0 : hits.rows.indexOf(current) + 1;
  return (
    <search className="transcript-search">
      <input
        ref={field}
        type="search"
        value={query}
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
        {statusText(query, search.hits, at)}
      </span>
      <button
        type="button"
        className="icon"
        aria-label="Previous match"
        disabled={hits.rows.length === 0}
        onClick={() => step(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        className="icon"
        aria-label="Next match"
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

function statusText(query: string, { rows, isSearching: isLooking }: Search["hits"], at: number): string {
  if (query.trim() === "") return "";
  if (rows.length === 0) return isLooking ? "searching…" : "not found";
  const all = `${formatCount(rows.length)}${isLooking ? "+" : ""}`;
  return at === 0 ? `${all} matches` : `${formatCount(at)} of ${all}`;
}
