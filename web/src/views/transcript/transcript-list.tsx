import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type AgentView, itemAt } from "../../../../src/view/index.ts";
import { DraftRow } from "./draft-row.tsx";
import { UnfoldedContext } from "./foldable.tsx";
import { ItemRow } from "./item-row.tsx";
import { SearchBar } from "./search/search-bar.tsx";
import { useMatchHighlights } from "./search/use-match-highlights.ts";
import { useSearch } from "./search/use-search.ts";
import { useScrollTarget } from "./use-scroll-target.ts";

interface Props {
  readonly agent: AgentView;
  /** The event to scroll to. */
  readonly at: string | undefined;
  /** True while more stored events are loading. */
  readonly isLoading: boolean;
  /** Everything that the user did not fold is open. */
  readonly isUnfolded: boolean;
  /** The search query; undefined without a search. */
  readonly query: string | undefined;
  onSearch(query: string | undefined): void;
}

/** Distance to the end within which new entries are followed. */
const nearPx = 60;

/** The transcript; only visible rows are drawn. It stays at its end unless the user scrolls away. */
export function TranscriptList({ agent, at, isLoading, isUnfolded, query, onSearch }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const [isAway, setAway] = useState(false);
  const { transcript, waitingPrompts, draft } = agent;
  const count = transcript.length + waitingPrompts.length + (draft ? 1 : 0);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 64,
    overscan: 8,
    paddingStart: 12,
    paddingEnd: 12,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearPx,
  });
  const total = virtual.getTotalSize();
  const toEnd = useCallback(() => {
    isStuck.current = true;
    setAway(false);
    virtual.scrollToEnd();
  }, [virtual]);
  // Growth at the end (a draft, a taller row) moves the end, like new entries.
  useEffect(() => {
    if (isStuck.current) virtual.scrollToEnd();
  }, [virtual, total, count]);

  const target = useScrollTarget(agent, at);
  useEffect(() => {
    if (target === undefined) return;
    isStuck.current = false;
    setAway(true);
    virtual.scrollToIndex(target, { align: "center" });
  }, [virtual, target]);

  const firstSeen = useCallback(
    () => virtual.getVirtualItems().find(({ end }) => end > (virtual.scrollOffset ?? 0))?.index ?? 0,
    [virtual],
  );
  const search = useSearch(agent, query ?? "", { setQuery: onSearch, firstSeen });
  const { current } = search;
  useEffect(() => {
    if (current === undefined) return;
    isStuck.current = false;
    setAway(true);
    virtual.scrollToIndex(current, { align: "center" });
  }, [virtual, current]);
  useMatchHighlights(scroller, { query, current, scrollTo: (offset) => virtual.scrollToOffset(offset) });
  const closeSearch = () => {
    onSearch(undefined);
    scroller.current?.focus();
  };

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
    isStuck.current = isNear;
    setAway(!isNear);
  };
  // Stops following at once when the user scrolls up, before the list detects it.
  const onWheel = (event: React.WheelEvent) => {
    if (event.deltaY < 0) isStuck.current = false;
  };
  const [unfolded, setUnfolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const unfold = useCallback(
    (key: string, isOpen: boolean) => setUnfolded((before) => new Map(before).set(key, isOpen)),
    [],
  );

  useEffect(() => setUnfolded(new Map()), [isUnfolded]);
  const folding = useMemo(() => ({ unfolded, unfold, isAll: isUnfolded }), [unfolded, unfold, isUnfolded]);
  // A match may be in a folded part.
  const opened = useMemo(() => ({ ...folding, isAll: true }), [folding]);

  return (
    <div className="transcript-place">
      {query !== undefined && <SearchBar search={search} onClose={closeSearch} />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div
        ref={scroller}
        className="transcript-scroll"
        onScroll={onScroll}
        onWheel={onWheel}
        tabIndex={0}
        role="log"
        aria-label="Transcript"
        aria-live="off"
      >
        {count === 0 && <p className="transcript-loading soft">{isLoading ? "Reading…" : "No entries yet."}</p>}
        <div className="transcript-rows" style={{ height: total }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-target={index === (current ?? target) || undefined}
              className="transcript-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <UnfoldedContext value={index === current ? opened : folding}>
                <Row agent={agent} index={index} />
              </UnfoldedContext>
            </div>
          ))}
        </div>
      </div>
      {isAway && (
        <button type="button" className="transcript-end" onClick={toEnd}>
          ↓ To the end
        </button>
      )}
    </div>
  );
}

function Row({ agent, index }: { agent: AgentView; index: number }) {
  const { transcript, waitingPrompts, draft } = agent;
  const item = itemAt(transcript, index);
  if (item) return <ItemRow item={item} foldKey={String(index)} />;
  const waiting = waitingPrompts[index - transcript.length];
  if (waiting) return <ItemRow item={waiting} foldKey={`waiting ${waiting.promptId}`} isWaiting />;
  return draft ? <DraftRow draft={draft} /> : null;
}
