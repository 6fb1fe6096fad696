import {
  type CallGroup,
  type CallItem,
  callTitle,
  type ChunkedList,
  groupAt,
  groupText,
  itemAt,
  type TranscriptItem,
  visibleLine,
} from "../../view/index.ts";
import { type Line, span } from "../terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../terminal/terminal-width.ts";
import { itemLines } from "./transcript-lines.ts";
import type { Look } from "./transcript-text.ts";

/**
 * Renders the item at an index. Calls that belong together are one line, at the place of the first: files that were
 * read, and changes of the task list. `from` is the first item that counts.
 */
export function linesAt(
  list: ChunkedList<TranscriptItem>,
  index: number,
  look: Look & { readonly from: number },
): Line[] {
  const item = itemAt(list, index);
  if (!item) return [];
  const group = look.expanded ? undefined : groupAt(list, index, look.from);
  if (!group) return itemLines(item, look);
  return index === group.start ? groupLines(callsOf(list, group), look) : [];
}

function callsOf(list: ChunkedList<TranscriptItem>, { start, end }: CallGroup): readonly CallItem[] {
  const calls: CallItem[] = [];
  for (let at = start; at < end; at++) {
    const item = itemAt(list, at);
    if (item?.kind === "call") calls.push(item);
  }
  return calls;
}

function groupLines(calls: readonly CallItem[], { marks, width, cwd }: Look): Line[] {
  const settled = calls.filter(({ result }) => result !== undefined);
  const open = calls.find(({ result }) => result === undefined);
  const counts = groupText(settled);
  const now = open ? visibleLine(callTitle(open, cwd)) : "";
  const start = `${marks.call} `;
  const words = [...(counts === "" ? [] : [counts]), ...(now === "" ? [] : [`${now} …`])].join(" · ");
  if (words === "") return [];
  const hint = open || counts === "" ? "" : " (ctrl+o)";
  const room = Math.max(10, width - widthOf(start) - widthOf(hint));
  return [
    [],
    [
      span(start, { role: open ? "accent" : "success" }),
      span(cutTo(words, room), { bold: true }),
      span(hint, { dim: true }),
    ],
  ];
}
