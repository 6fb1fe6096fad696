import type { ReactNode } from "react";
import {
  type AppState,
  areTasksShown,
  type TaskBoard,
  taskBoard,
  type TaskBoardRow,
  visibleLine,
} from "../../view/index.ts";
import { useAppState, useFrontend, useSize } from "../app-context.ts";
import { keyFor } from "../key-table.ts";
import { Lines } from "./panel.tsx";
import { type Line, span } from "../terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../terminal/terminal-width.ts";
import type { Style, Theme } from "../theme.ts";

/** The task list, if it is open: active tasks with their owners, available tasks, blocked tasks. */
export function TaskPanel({ room }: { readonly room?: number }): ReactNode {
  const { theme } = useFrontend();
  const { columns, rows } = useSize();
  const isShown = useAppState(areTasksShown);
  const state = useAppState((each) => each);
  if (!isShown || room === 0) return null;
  const lines = taskLines(taskBoard(state), {
    columns,
    theme,
    room: room ?? Math.max(3, Math.floor(rows / 3)) + 2,
  });
  return <Lines lines={lines} wrap="truncate" />;
}

/** Returns the number of lines without a limit. */
export const taskHeight = (state: AppState): number =>
  areTasksShown(state) ? 1 + Math.max(1, taskBoard(state).rows.length) : 0;

interface Drawing {
  readonly columns: number;
  readonly theme: Theme;
  readonly room: number;
}

function taskLines(board: TaskBoard, { columns, theme, room }: Drawing): Line[] {
  const { pending, in_progress: active, completed } = board.counts;
  const ownerName = board.team === "" ? "Tasks" : `Tasks of ${visibleLine(board.team)}`;
  const title = `${ownerName} · ${active} active, ${pending} pending, ${completed} done`;
  const close = `${keyFor("app", "tasks")} to hide`;
  const isRoomy = widthOf(title) + widthOf(close) + 3 <= columns;
  const head: Line = [
    span(cutTo(title, columns), { bold: true }),
    ...(isRoomy ? [span(` · ${close}`, { dim: true })] : []),
  ];
  if (board.rows.length === 0)
    return [head, [span(cutTo("no tasks yet: agents add them when they plan", columns), { dim: true })]];
  if (room < 2) return [head];
  const isWhole = board.rows.length < room;
  const shown = board.rows.slice(0, isWhole ? room - 1 : Math.max(1, room - 2));
  const left = board.rows.length - shown.length;
  return [
    head,
    ...shown.map((row) => taskLine(row, { columns, theme })),
    ...(left > 0 && room > 2 ? [[span(`  and ${left} more (list all: troupe tasks)`, { dim: true })]] : []),
  ];
}

function taskLine({ task, blockedBy, ownerColor }: TaskBoardRow, { columns, theme }: Omit<Drawing, "room">): Line {
  const mark = theme.isScreenReader ? `${screenReaderMarks[task.status]}: ` : `${marks[task.status]} `;
  const number = `#${task.id} `;
  const owner = task.owner === undefined ? "" : ` @${visibleLine(task.owner)}`;
  const waits = blockedBy.length === 0 ? "" : ` · after ${blockedBy.map((id) => `#${id}`).join(" ")}`;
  const proof = proofNote(task);
  const room = Math.max(8, columns - 2 - widthOf(mark + number + owner + waits + proof));
  const isDone = task.status === "completed";
  const titleText = task.status === "in_progress" ? (task.activeForm ?? task.subject) : task.subject;
  const style: Style = isDone ? { dim: true, strike: true } : task.status === "in_progress" ? { bold: true } : {};
  return [
    span("  "),
    span(mark, isDone ? { role: "success" } : task.status === "in_progress" ? { role: "accent" } : { dim: true }),
    span(number, { dim: true }),
    span(cutTo(visibleLine(titleText), room), style),
    span(owner, ownerColor === undefined ? { role: "accent" } : { agent: ownerColor }),
    span(waits, { role: "warning" }),
    span(proof, { role: proofRoles[task.proof ?? "claimed"] }),
  ];
}

const proofRoles = { refuted: "error", verified: "success", claimed: "warning" } as const;

function proofNote({ proof, proofDetail, acceptance, status }: TaskBoardRow["task"]): string {
  if (proof === "refuted") return " · checks failed";
  if (proof === "verified") return " · verified";
  return status === "completed" && acceptance.length > 0 && proofDetail !== undefined ? " · not verified" : "";
}

const marks = { pending: "☐", in_progress: "◐", completed: "☑", deleted: "" } as const;
const screenReaderMarks = { pending: "to do", in_progress: "in progress", completed: "done", deleted: "" } as const;
