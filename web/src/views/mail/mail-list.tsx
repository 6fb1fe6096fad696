import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import type { MailItem } from "../../state/mail-list.ts";
import { MailRow } from "./mail-row.tsx";

interface Props {
  readonly mail: readonly MailItem[];
  readonly session: SessionId;
  readonly colors: ReadonlyMap<string, string | undefined>;
  readonly emptyText: string;
}

/** Distance to the end within which new mail is followed. */
const nearPx = 60;

/** A list of mail that draws only the visible rows. */
export function MailList({ mail, session, colors, emptyText }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const lastTop = useRef(0);
  const count = mail.length;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => mail[index]?.id ?? index,
    estimateSize: () => 90,
    overscan: 6,
    paddingStart: 8,
    paddingEnd: 8,
  });
  const total = virtual.getTotalSize();
  useEffect(() => {
    if (isStuck.current) virtual.scrollToEnd();
  }, [virtual, total, count]);
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
    isStuck.current = isNear && (isStuck.current || box.scrollTop > lastTop.current);
    lastTop.current = box.scrollTop;
  };
  // Stops following at once when the user scrolls up, before the list detects it.
  const onWheel = (event: React.WheelEvent) => {
    if (event.deltaY < 0) isStuck.current = false;
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const { key } = event;
    if (key === "Home" || key === "PageUp" || key === "ArrowUp") isStuck.current = false;
    // The browser's smooth scrolling stops early if a row is taller than estimated.
    if (key !== "Home" && key !== "End") return;
    event.preventDefault();
    isStuck.current = key === "End";
    if (key === "Home") virtual.scrollToIndex(0);
    else virtual.scrollToEnd();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div
      ref={scroller}
      className="letters"
      tabIndex={0}
      role="log"
      aria-label="Messages"
      aria-live="off"
      onScroll={onScroll}
      onWheel={onWheel}
      onKeyDown={onKeyDown}
    >
      {count === 0 && <p className="letters-none soft">{emptyText}</p>}
      <div className="letters-rows" style={{ height: total }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const item = mail[index];
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="letters-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item && <MailRow item={item} session={session} colors={colors} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}
