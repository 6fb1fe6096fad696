import type { ReactNode } from "react";
import { closeDialog } from "../../view/index.ts";
import { useFrontend, useKeys, useSize } from "../app-context.ts";
import { actionOf, keyFor } from "../key-table.ts";
import { isShortScreen } from "../panels/live-layout.ts";
import { Panel, usePanelWidth } from "../panels/panel.tsx";
import { topFor } from "../transcript/scroll-window.ts";
import { withHangingIndent, type Line, span, wrapLine } from "../terminal/terminal-lines.ts";
import { cutTo } from "../terminal/terminal-width.ts";
import { useLiveState } from "../use-live-state.ts";

/** A row of a list, with an optional detail below it. */
export interface ListRow {
  readonly id: string;
  readonly title: Line;
  readonly detail?: string | undefined;
  /** True for a heading, which cannot be selected. */
  readonly isHeading?: boolean;
}

export interface ListProps {
  readonly title: string;
  readonly rows: readonly ListRow[];
  /** The text for an empty list. It tells what to do. */
  readonly empty: string;
  /** The action of Enter, described in a word or two. */
  readonly choose?: { readonly does: string; run(id: string): void } | undefined;
  readonly stop?: { readonly does: string; run(id: string): void } | undefined;
  /** Called instead of closing the dialog. */
  readonly onClose?: (() => void) | undefined;
}

/** A scrollable list for dialogs. */
export function ListDialog({ title, rows, empty, choose, stop, onClose }: ListProps): ReactNode {
  const { store, theme } = useFrontend();
  const size = useSize();
  const width = usePanelWidth();
  const canChoose = choose !== undefined || stop !== undefined;
  const state = useLiveState<{ readonly chosen: string | undefined; readonly scroll: number }>({
    chosen: undefined,
    scroll: 0,
  });
  const close = onClose ?? (() => store.setState(closeDialog));

  const selectable = rows.filter(({ isHeading }) => !isHeading);
  const indexNow = () =>
    Math.max(
      0,
      selectable.findIndex(({ id }) => id === state.get().chosen),
    );
  const chosenNow = () => (canChoose ? selectable[indexNow()] : undefined);
  const chosen = chosenNow();
  const drawn = rows.flatMap((row) =>
    rowLines(row, { mark: row === chosen ? theme.marks.prompt : "", width, canChoose }).map((line) => ({ row, line })),
  );
  const blank: Line[] = isShortScreen(size.rows) ? [] : [[]];
  const height = Math.min(
    drawn.length,
    Math.max(3, size.rows - (isShortScreen(size.rows) ? shortScreenChrome : chrome)),
  );
  const topNow = () => {
    const window = { top: state.get().scroll, height, count: drawn.length };
    const row = chosenNow();
    if (!row) return topFor(window.top, window);
    const last = drawn.findLastIndex((each) => each.row === row);
    const first = drawn.findIndex((each) => each.row === row);
    return topFor(first, { ...window, top: topFor(last, window) });
  };

  const move = (by: number) =>
    state.set(() => {
      if (!canChoose) return { chosen: undefined, scroll: Math.max(0, Math.min(topNow() + by, drawn.length - height)) };
      const next = Math.max(0, Math.min(indexNow() + by, selectable.length - 1));
      return { chosen: selectable[next]?.id, scroll: topNow() };
    });
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    const action = actionOf("list", key.name);
    const row = chosenNow();
    if (action === "up") move(-1);
    else if (action === "down") move(1);
    else if (action === "pageUp") move(1 - height);
    else if (action === "pageDown") move(height - 1);
    else if (action === "first") move(-drawn.length);
    else if (action === "last") move(drawn.length);
    else if (action === "close" || (action === "choose" && !choose)) close();
    else if (action === "choose" && row) choose?.run(row.id);
    else if (action === "stop" && row) stop?.run(row.id);
    return true;
  });

  const top = topNow();
  const more = drawn.length > height ? ` · ${top + 1}-${top + height} of ${drawn.length}` : "";
  const hints = [
    ...(choose && chosen ? [`${keyFor("list", "choose")} ${choose.does}`] : []),
    ...(stop && chosen ? [`${keyFor("list", "stop")} ${stop.does}`] : []),
    ...(drawn.length > height || (canChoose && selectable.length > 1) ? ["↑ ↓ move"] : []),
    `${keyFor("list", "close")} back`,
  ];
  const lines: Line[] = [
    [span(cutTo(title, width - more.length), { bold: true }), span(more, { dim: true })],
    ...blank,
    ...(rows.length === 0 ? wrapLine([span(empty, { dim: true })], width) : []),
    ...drawn.slice(top, top + height).map(({ line }) => line),
    ...blank,
    ...wrapLine([span(hints.join(" · "), { dim: true })], width),
  ];
  return <Panel lines={lines} />;
}

/** Screen rows outside the list: frame, title, blank lines, hint, and the parts below. */
const chrome = 11;
/** On a low screen: the title, a hint of two lines, and one free line. */
const shortScreenChrome = 4;

function rowLines(
  { title, detail, isHeading }: ListRow,
  { mark, width, canChoose }: { readonly mark: string; readonly width: number; readonly canChoose: boolean },
): Line[] {
  const indent = canChoose && !isHeading ? 2 : 0;
  const isChosen = mark !== "";
  const styled = isChosen || isHeading ? title.map(({ text, style }) => span(text, { ...style, bold: true })) : title;
  const own = withHangingIndent(
    wrapLine(styled, width - indent),
    span(mark.padEnd(indent), { role: "accent" }),
    span(" ".repeat(indent)),
  );
  if (detail === undefined || detail === "") return own;
  const room = span(" ".repeat(indent + 2));
  return [...own, ...withHangingIndent(wrapLine([span(detail, { dim: true })], width - indent - 2), room, room)];
}
