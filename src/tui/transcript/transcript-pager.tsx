import { type ReactNode, useEffect, useRef } from "react";
import { closeDialog, visibleLine } from "../../view/index.ts";
import { type Frontend, useFrontend, useKeys } from "../app-context.ts";
import type { KeyPress } from "../terminal/input-keys.ts";
import { actionOf, keyFor } from "../key-table.ts";
import { editLine, emptyInput, inputText, type LineInput } from "../terminal/line-input.ts";
import {
  endPosition,
  findLine,
  isAtEnd,
  linesFrom,
  movedBy,
  type PagerPosition,
  startPosition,
} from "./pager-position.ts";
import { createPagerText, queryMatcher, highlightMatches } from "./pager-text.ts";
import { lineWidth, type Line, paintLine, span } from "../terminal/terminal-lines.ts";
import { cutTo, graphemesOf } from "../terminal/terminal-width.ts";
import { type Viewed, viewedOf } from "./transcript-history.ts";

/** Shows the complete, searchable transcript of the agent in view on the alternate screen. */
export function TranscriptPager({ by = 0 }: { readonly by?: number }): ReactNode {
  const frontend = useFrontend();
  const pager = useRef<Pager>(undefined);
  pager.current ??= createPager(frontend, by);
  useEffect(() => {
    const { current } = pager;
    current?.open();
    const stops = [frontend.frames.subscribe(() => current?.draw()), frontend.size.subscribe(() => current?.draw())];
    return () => {
      for (const stop of stops) stop();
      current?.close();
    };
  }, [frontend]);
  useKeys((key) => {
    if (key.name === "ctrl+z") return false;
    pager.current?.key(key);
    return true;
  });
  return null;
}

interface Pager {
  open(): void;
  draw(): void;
  key(key: KeyPress): void;
  close(): void;
}

/** `by` is the number of pages before the end at which it opens. */
function createPager({ store, frames, size, theme, alternateScreen: second }: Frontend, by: number): Pager {
  let position: PagerPosition | undefined;
  /** New output is followed while the end is visible. */
  let isFollowing = by === 0;
  let viewedAgentId: string | undefined;
  let isWhole = true;
  let query = "";
  let writing: LineInput | undefined;
  let note = "";
  let textOf: { readonly key: string; readonly make: ReturnType<typeof createPagerText> } | undefined;

  const height = () => Math.max(1, size.getState().rows - 1);
  const textFor = (viewed: Viewed) => {
    const width = Math.max(20, size.getState().columns - 1);
    const key = `${width} ${isWhole}`;
    if (textOf?.key !== key) textOf = { key, make: createPagerText({ theme, width, expanded: isWhole }) };
    return textOf.make(viewed);
  };
  const currentPosition = (viewed: Viewed): PagerPosition => {
    const text = textFor(viewed);
    const end = () => endPosition(text, height());
    if (viewedAgentId !== viewed.id || position === undefined) {
      if (viewedAgentId !== undefined) isFollowing = true;
      position = movedBy(text, end(), { by: by * (height() - 1), height: height() });
    } else if (isFollowing) position = end();
    else if (linesFrom(text, position, 1).length === 0) position = end();
    viewedAgentId = viewed.id;
    return position;
  };
  const search = (viewed: Viewed, step: 1 | -1) => {
    if (query === "") return;
    const found = findLine(textFor(viewed), currentPosition(viewed), { by: step, matches: queryMatcher(query) });
    note = found ? "" : "no match";
    if (found) goTo(viewed, found);
  };
  const goTo = (viewed: Viewed, to: PagerPosition) => {
    const text = textFor(viewed);
    position = isAtEnd(text, to, height()) ? endPosition(text, height()) : to;
    isFollowing = isAtEnd(text, position, height());
  };
  const onWriting = (viewed: Viewed, input: LineInput, key: KeyPress) => {
    if (key.name === "escape") writing = undefined;
    else if (key.name === "enter") {
      [query, writing] = [inputText(input), undefined];
      search(viewed, 1);
    } else writing = editLine(input, key);
  };
  const onKey = (viewed: Viewed, { name }: KeyPress) => {
    note = "";
    const page = Math.max(1, height() - 2);
    const move = (lines: number) =>
      goTo(viewed, movedBy(textFor(viewed), currentPosition(viewed), { by: lines, height: height() }));
    switch (actionOf("pager", name)) {
      case "up":
        return move(-1);
      case "down":
        return move(1);
      case "pageUp":
        return move(-page);
      case "pageDown":
        return move(page);
      case "first":
        return goTo(viewed, startPosition);
      case "last":
        return goTo(viewed, endPosition(textFor(viewed), height()));
      case "search":
        writing = emptyInput;
        return undefined;
      case "next":
        return search(viewed, 1);
      case "previous":
        return search(viewed, -1);
      case "fold":
        isWhole = !isWhole;
        if (position) position = { item: position.item, line: 0 };
        return undefined;
      case "close":
        return store.setState(closeDialog);
      case undefined:
        return undefined;
    }
  };

  const draw = () => {
    const state = frames.getState();
    const viewed = viewedOf(state);
    const waiting = state.teamContext?.isLeader === false ? 0 : state.session.questions.length;
    if (!viewed) return second.draw(["reading the transcript …"]);
    const text = textFor(viewed);
    const top = currentPosition(viewed);
    const lines = linesFrom(text, top, height());
    const shown = lines.map((line) => paintLine(query === "" ? line : highlightMatches(line, query), theme));
    const blank = Array.from({ length: height() - shown.length }, () => "");
    const percent = isAtEnd(text, top, height()) ? 100 : Math.floor((100 * top.item) / Math.max(1, text.count));
    const last = writing
      ? searchLine(writing)
      : statusLine({ viewed, percent, waiting, note, width: size.getState().columns - 1 });
    second.draw([...shown, ...blank, paintLine(last, theme)]);
  };
  return {
    open() {
      second.open();
      draw();
    },
    draw,
    key(key) {
      const viewed = viewedOf(store.getState());
      if (!viewed || key.name === "ctrl+c") return store.setState(closeDialog);
      // Keys that arrive together are handled one by one, unless text is being entered.
      const keys = key.isPaste ? [key] : pressesOf(key);
      for (const each of keys)
        if (writing) onWriting(viewed, writing, each);
        else onKey(viewed, each);
      draw();
      return undefined;
    },
    close: () => second.close(),
  };
}

const pressesOf = (key: KeyPress): readonly KeyPress[] =>
  key.name === "" ? graphemesOf(key.text).map((text) => ({ name: text, text, isPaste: false })) : [key];

function searchLine({ before, after }: LineInput): Line {
  return [span("/", { bold: true }), span(visibleLine(before)), span(" ", { inverse: true }), span(visibleLine(after))];
}

interface Status {
  readonly viewed: Viewed;
  readonly percent: number;
  readonly waiting: number;
  readonly note: string;
  readonly width: number;
}

function statusLine({ viewed, percent, waiting, note, width }: Status): Line {
  const [move, search, fold, back] = [
    `${keyFor("pager", "pageUp")} ${keyFor("pager", "pageDown")} move`,
    `${keyFor("pager", "search")} search`,
    `${keyFor("pager", "fold")} fold`,
    `${keyFor("pager", "close")} back`,
  ];
  const urgent = waiting > 0 ? ` · ${waiting === 1 ? "1 open question" : `${waiting} open questions`}` : "";
  const line: Line = [
    span(cutTo(`Transcript of ${visibleLine(viewed.name)}`, Math.max(8, width - 30)), {
      bold: true,
      agent: viewed.color,
    }),
    span(` · ${percent}%`, { dim: true }),
    span(note === "" ? "" : ` · ${note}`, { role: "warning" }),
    span(urgent, { role: "warning" }),
  ];
  const room = width - lineWidth(line) - 3;
  const hints = [[move, search, fold, back], [move, search, back], [search, back], [back]]
    .map((some) => some.join(" · "))
    .find((each) => each.length <= room);
  return hints === undefined ? line : [...line, span(` · ${hints}`, { dim: true })];
}
