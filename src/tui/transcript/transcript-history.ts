import {
  agentOf,
  type AgentView,
  type AppState,
  type ChunkedList,
  groupAt,
  groupKind,
  isAgentRow,
  itemAt,
  leadOf,
  type TranscriptItem,
  visibleLine,
} from "../../view/index.ts";
import type { Size } from "../app-context.ts";
import { type Line, paintLines, span } from "../terminal/terminal-lines.ts";
import type { Theme } from "../theme.ts";
import { linesAt } from "./transcript-group.ts";
import type { Look } from "./transcript-text.ts";

/** Output that is printed once above the redrawn part and then stays in the terminal's scrollback. */
export interface Block {
  readonly key: string;
  readonly text: string;
}

export interface History {
  /** One block for every print. Blocks that were drawn may be empty. */
  getBlocks(): readonly Block[];
  /** Tells that the first `count` blocks are on the screen and need not be kept. */
  drawn(count: number): void;
  /** Prints the final items of the agent in view. Call it before each frame. */
  sync(state: AppState): void;
  /** Returns the index of the first item of the agent in view that is not printed. */
  printed(): number;
  isExpanded(): boolean;
  /** Prints the end of the transcript again after a width change cleared the screen. */
  reprint(state: AppState): void;
  /** Folds or unfolds results and thinking. Unfolding prints the items since the last prompt again. */
  toggleExpanded(state: AppState): void;
  /** Drops the printed blocks, so that a new Ink instance does not print them again. */
  forgetBlocks(): void;
}

export interface HistoryOptions {
  readonly theme: Theme;
  readonly size: () => Size;
}

const shownAtOpening = 60;

export function createHistory({ theme, size }: HistoryOptions): History {
  let blocks: readonly Block[] = [];
  let drawnCount = 0;
  let count = 0;
  let index = 0;
  let shown: string | undefined;
  let isExpanded = false;

  const look = (state: AppState): Look => ({
    width: widthFor(size()),
    marks: theme.marks,
    cwd: folderOf(state),
    expanded: isExpanded,
    agent: viewedOf(state)?.color,
  });
  const print = (lines: readonly Line[]) => {
    if (lines.length === 0) return;
    count += 1;
    blocks = [
      ...blocks.map((block, at) => (at < drawnCount ? drawn : block)),
      { key: `b${count}`, text: paintLines(lines, theme) || " " },
    ];
  };
  /** Prints one block for all items, so that React and Ink handle one node. */
  const printItems = (state: AppState, list: ChunkedList<TranscriptItem>, range: readonly [number, number]) => {
    const how = { ...look(state), from: range[0] };
    const lines: Line[] = [];
    for (let at = range[0]; at < range[1]; at++) lines.push(...linesAt(list, at, how));
    print(lines);
  };

  return {
    getBlocks: () => blocks,
    drawn: (upTo) => void (drawnCount = upTo),
    printed: () => index,
    isExpanded: () => isExpanded,
    sync(state) {
      const viewed = viewedOf(state);
      if (!viewed) return;
      const end = finalUpTo(viewed, viewed.id === shown ? index : 0);
      if (viewed.id !== shown) {
        const skipped = Math.max(0, end - shownAtOpening);
        print(opening({ viewed, isFirst: shown === undefined, skipped, width: widthFor(size()), theme }));
        [shown, index] = [viewed.id, skipped];
      }
      if (end > index) printItems(state, viewed.list, [index, end]);
      index = Math.max(index, end);
    },
    reprint(state) {
      const viewed = viewedOf(state);
      if (!viewed) return;
      const how = { ...look(state), from: 0 };
      const { rows } = size();
      const lines: Line[] = [];
      for (let at = index - 1; at >= 0 && lines.length < rows; at--) lines.unshift(...linesAt(viewed.list, at, how));
      print(lines.slice(-Math.max(1, rows - 1)));
    },
    toggleExpanded(state) {
      isExpanded = !isExpanded;
      const viewed = viewedOf(state);
      if (!viewed || !isExpanded) return;
      print([[span(ruleLine("unfolded", widthFor(size()), theme), { dim: true })]]);
      printItems(state, viewed.list, [lastPrompt(viewed.list, index), index]);
    },
    forgetBlocks() {
      [blocks, drawnCount] = [[], 0];
    },
  };
}

const drawn: Block = { key: "drawn", text: "" };

/**
 * Leaves one column free, because some terminals wrap a full line. Limits the width, because long lines are hard to
 * read.
 */
export const widthFor = ({ columns }: Size): number => Math.max(20, Math.min(columns - 1, 140));

export interface Viewed {
  readonly id: string;
  readonly name: string;
  readonly color: string | undefined;
  readonly list: ChunkedList<TranscriptItem>;
  /** Undefined for a member in another process that sent no events yet. */
  readonly agent: AgentView | undefined;
  /**
   * True if the agent runs in another process. Then `agent` contains only its current activity, and `list` is read from
   * its log.
   */
  readonly isRemote: boolean;
  readonly isWorking: boolean;
}

/** Returns the agent in view, or undefined while its transcript is being read. */
export function viewedOf(state: AppState): Viewed | undefined {
  const task = state.viewing === undefined ? undefined : state.activityRows.get(state.viewing);
  if (task && isAgentRow(task)) {
    if (!task.messages || !task.diskLoaded) return undefined;
    const isRemote = task.type === "remote_agent";
    const here = task.agent === undefined ? undefined : agentOf(state.session, task.agent);
    const agent = isRemote ? task.remoteAgent : here;
    const isWorking = task.status === "running" && !task.isIdle;
    return { id: task.id, name: task.name, color: task.color, list: task.messages, agent, isRemote, isWorking };
  }
  const lead = leadOf(state.session);
  if (!lead) return undefined;
  const { status, transcript } = lead;
  const isWorking = status.kind === "running" || status.kind === "waiting";
  const color = state.teamContext?.selfAgentColor;
  const name = state.teamContext?.selfAgentName ?? "lead";
  return { id: "", name, color, list: transcript, agent: lead, isRemote: false, isWorking };
}

/** The folder of the agent in view. */
export const folderOf = (state: AppState): string => viewedOf(state)?.agent?.cwd ?? state.session.cwd;

/**
 * Returns the index of the first call without a result, or the end of the list. Calls at the end that may get company
 * are not final, because they are one line together.
 */
function finalUpTo({ list, isWorking }: Viewed, from: number): number {
  if (!isWorking) return list.length;
  for (let at = from; at < list.length; at++) {
    const item = itemAt(list, at);
    if (item?.kind === "call" && item.result === undefined) return groupAt(list, at, from)?.start ?? at;
  }
  let end = list.length;
  while (end > from && groupKind(itemAt(list, end - 1)) !== undefined) end -= 1;
  return end;
}

function lastPrompt(list: ChunkedList<TranscriptItem>, before: number): number {
  for (let at = before - 1; at >= 0; at--) {
    const item = itemAt(list, at);
    if (item?.kind === "prompt" && item.source === "user") return at;
  }
  return Math.max(0, before - shownAtOpening);
}

interface OpeningOptions {
  readonly viewed: Viewed;
  readonly isFirst: boolean;
  readonly skipped: number;
  readonly width: number;
  readonly theme: Theme;
}

function opening({ viewed, isFirst, skipped, width, theme }: OpeningOptions): Line[] {
  const lines: Line[] = [];
  const { isScreenReader } = theme;
  const agent = viewed.color;
  if (!isFirst) lines.push([], [span(ruleLine(visibleLine(viewed.name), width, theme), { role: "border", agent })]);
  if (skipped > 0)
    lines.push([
      span(`… ${skipped} earlier${isScreenReader ? "; `troupe sessions show` prints them" : " (ctrl+o)"}`, {
        dim: true,
      }),
    ]);
  return lines;
}

function ruleLine(words: string, width: number, { marks, isScreenReader }: Theme): string {
  if (isScreenReader) return `Transcript of ${words}`;
  return `${marks.rule.repeat(3)} ${words} ${marks.rule.repeat(Math.max(3, Math.min(width, 60) - words.length - 5))}`;
}
