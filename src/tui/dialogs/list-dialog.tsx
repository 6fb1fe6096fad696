import type { ReactNode } from "react";
import { closeDialog, visibleLine } from "../../view/index.ts";
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
  /** The text that a search looks at. */
  readonly words?: string;
}

export interface ListProps {
  readonly title: string;
  readonly rows: readonly ListRow[];
  /** The text for an empty list. It tells what to do. */
  readonly empty: string;
  /** The action of Enter, described in a word or two. */
  readonly choose?: { readonly does: string; run(id: string): void } | undefined;
  readonly stop?: { readonly does: string; run(id: string): void } | undefined;
  /** The action of Tab. */
  readonly toggle?: { readonly does: string; run(): void } | undefined;
  /** Typed text searches the rows, so letters have no other meaning. */
  readonly isSearchable?: boolean | undefined;
  /** Called instead of closing the dialog. */
  readonly onClose?: (() => void) | undefined;
}

/** A scrollable list for dialogs. */
export function ListDialog(props: ListProps): ReactNode {
  const { title, empty, choose, stop, toggle, isSearchable = false, onClose } = props;
  const { store, theme } = useFrontend();
  const size = useSize();
  const width = usePanelWidth();
  const canChoose = choose !== undefined || stop !== undefined;
  const state = useLiveState<ListState>({ chosen: undefined, scroll: 0, query: "" });
  const { query } = state.get();
  const rows = props.rows.filter((row) => isMatch(row, query));
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
    Math.max(3, size.rows - (isShortScreen(size.rows) ? shortScreenChrome : chrome) - (isSearchable ? 1 : 0)),
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
      if (!canChoose)
        return { query, chosen: undefined, scroll: Math.max(0, Math.min(topNow() + by, drawn.length - height)) };
      const next = Math.max(0, Math.min(indexNow() + by, selectable.length - 1));
      return { query, chosen: selectable[next]?.id, scroll: topNow() };
    });
  const search = (text: string) => state.set(() => ({ chosen: undefined, scroll: 0, query: text }));
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    const now = state.get().query;
    if (isSearchable && key.text !== "" && key.text !== "\n" && key.name !== "tab") {
      search(now + key.text);
      return true;
    }
    if (isSearchable && now !== "" && (key.name === "backspace" || key.name === "escape")) {
      search(key.name === "escape" ? "" : now.slice(0, -1));
      return true;
    }
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
    else if (action === "toggle") toggle?.run();
    return true;
  });

  const top = topNow();
  const [first, last, count] = canChoose
    ? [indexNow() + 1, indexNow() + 1, selectable.length]
    : [top + 1, top + height, drawn.length];
  const more = drawn.length > height ? ` · ${first === last ? first : `${first}-${last}`} of ${count}` : "";
  const hints = [
    ...(choose && chosen ? [`${keyFor("list", "choose")} ${choose.does}`] : []),
    ...(stop && chosen ? [`${keyFor("list", "stop")} ${stop.does}`] : []),
    ...(toggle ? [`${keyFor("list", "toggle")} ${toggle.does}`] : []),
    ...(drawn.length > height || (canChoose && selectable.length > 1) ? ["↑ ↓ move"] : []),
    `${keyFor("list", "close")} ${query === "" ? "back" : "clear"}`,
  ];
  const lines: Line[] = [
    [span(cutTo(title, width - more.length), { bold: true }), span(more, { dim: true })],
    ...(isSearchable ? [searchLine(query, width)] : []),
    ...blank,
    ...(rows.length === 0 ? wrapLine([span(query === "" ? empty : "no match", { dim: true })], width) : []),
    ...drawn.slice(top, top + height).map(({ line }) => line),
    ...blank,
    ...wrapLine([span(hints.join(" · "), { dim: true })], width),
  ];
  return <Panel lines={lines} />;
}

interface ListState {
  readonly chosen: string | undefined;
  readonly scroll: number;
  /** The text that rows must contain, word by word. */
  readonly query: string;
}

function isMatch({ words, isHeading = false }: ListRow, query: string): boolean {
  if (isHeading || words === undefined) return true;
  const text = words.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const searchLine = (query: string, width: number): Line =>
  query === ""
    ? [span("Type to search", { dim: true })]
    : [span("Search: ", { dim: true }), span(cutTo(visibleLine(query), width - 10)), span(" ", { inverse: true })];

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
