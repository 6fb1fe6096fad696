import type { ReactNode } from "react";
import { oneLine } from "../../protocol/index.ts";
import { type Activity, type AppState, type TeamTreeRow, teamTree, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend, useSize } from "../app-context.ts";
import { keyFor } from "../key-table.ts";
import { Lines } from "./panel.tsx";
import { topFor } from "../transcript/scroll-window.ts";
import { formatCost, formatDuration, formatTokens } from "../format-counts.ts";
import { type Line, span } from "../terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../terminal/terminal-width.ts";
import type { Style, Theme } from "../theme.ts";
import { useNow } from "../use-now.ts";

/** The agents below the spinner, with their activity and the selection. Empty if there are none. */
export function TeammateTree({ room }: { readonly room?: number }): ReactNode {
  const { theme } = useFrontend();
  const { columns, rows } = useSize();
  const state = useAppState((each) => each);
  const now = useNow(state.activityRows.size > 0);
  const tree = teamTree(state, now);
  if (tree.length === 0 || room === 0) return null;
  const lines = treeLines(tree, { state, columns, theme, room: room ?? Math.max(4, Math.floor(rows / 3)) + 3 });
  return <Lines lines={lines} wrap="truncate" />;
}

interface Drawing {
  readonly state: Pick<AppState, "viewSelectionMode" | "selectedTeammateIndex" | "viewing">;
  readonly columns: number;
  readonly theme: Theme;
  /** Maximum number of lines. */
  readonly room: number;
}

/** Returns the number of lines without a limit. */
export function treeHeight(tree: readonly TeamTreeRow[], state: Drawing["state"]): number {
  if (tree.length === 0) return 0;
  const selectionText = tree.filter(hasPreview).length;
  return tree.length + selectionText + surroundingLineCount(state).length;
}

/** The lines around the rows: the lead, and the key hint. */
const surroundingLineCount = ({ viewSelectionMode, viewing }: Drawing["state"]): readonly ("lead" | "hint")[] => [
  ...(viewSelectionMode === "selecting-agent" || viewing !== undefined ? ["lead" as const] : []),
  "hint" as const,
];

function treeLines(tree: readonly TeamTreeRow[], { state, columns, theme, room }: Drawing): Line[] {
  const isSelecting = state.viewSelectionMode === "selecting-agent";
  // On a low screen the agents take precedence over the lines around them.
  const around =
    room > 4 ? surroundingLineCount(state) : surroundingLineCount(state).filter((each) => each === "lead" && room > 2);
  const rows = Math.max(1, room - around.length);
  // Shows the last text of each agent if all agents still fit.
  const hasPreviews = tree.length + tree.filter(hasPreview).length <= rows;
  const height = tree.length <= rows ? tree.length : Math.max(1, rows - 1);
  const chosen = isSelecting ? state.selectedTeammateIndex : tree.findIndex(({ isViewed }) => isViewed);
  const top = topFor(Math.max(0, chosen), { top: 0, height, count: tree.length });
  const shown = tree.slice(top, top + height);
  const isDrawn = !theme.isScreenReader;
  const more = tree.length - shown.length;
  return [
    ...(around.includes("lead") ? [leadLine(state, theme)] : []),
    ...shown.flatMap((row, index) => {
      const isLast = index === shown.length - 1 && more === 0;
      const [branch, stem] = isDrawn ? [isLast ? "└─" : "├─", isLast ? "  " : "│ "] : ["", ""];
      return [
        rowLine(row, { branch, columns, theme }),
        ...(hasPreviews && hasPreview(row) ? [previewLine(row, { stem, columns })] : []),
      ];
    }),
    ...(more > 0 && rows > 1 ? [[span(`  and ${more} more (${keyFor("app", "nextAgent")})`, { dim: true })]] : []),
    ...(around.includes("hint") ? [hintLine(state, columns)] : []),
  ];
}

/** The last words of an agent that has ended are its report, which the transcript shows. */
const hasPreview = ({ preview, state }: TeamTreeRow): boolean => preview !== "" && state !== "ended";

function leadLine({ viewSelectionMode, selectedTeammateIndex, viewing }: Drawing["state"], { marks }: Theme): Line {
  const isChosen = viewSelectionMode === "selecting-agent" && selectedTeammateIndex === -1;
  return [
    span(isChosen ? `${marks.prompt} ` : "  ", { role: "accent" }),
    span("lead", { bold: isChosen }),
    ...(viewing === undefined ? [span(" · in view", { dim: true })] : []),
  ];
}

function rowLine(
  row: TeamTreeRow,
  { branch, columns, theme }: { branch: string; columns: number; theme: Theme },
): Line {
  const { task, isSelected, isViewed } = row;
  const name = cutTo(visibleLine(task.name), Math.max(8, Math.floor(columns / 3)));
  const colour: Style = task.color === undefined ? { role: "accent" } : { agent: task.color };
  const start: Line[number][] = [
    span(isSelected ? `${theme.marks.prompt} ` : "  ", { role: "accent" }),
    span(branch === "" ? "" : `${branch} `, { role: "border" }),
    span(name, { ...colour, bold: isSelected || isViewed, inverse: isSelected }),
    span(" "),
  ];
  const { selectionText, style } = stateText(row);
  const about = isNamed(task) ? cutTo(visibleLine(task.description), Math.max(8, Math.floor(columns / 4))) : "";
  const facts = [
    // An idle agent has no current work to time.
    ...(row.state === "idle" || row.state === "starting" ? [] : [formatDuration(row.workedMs)]),
    ...(task.progress.tokens > 0 ? [formatTokens(task.progress.tokens)] : []),
    ...(task.progress.costUsd > 0 ? [formatCost(task.progress.costUsd)] : []),
    ...("unread" in task && task.unread > 0 ? [`${task.unread} unread`] : []),
    ...(isViewed ? ["in view"] : []),
  ];
  // The current activity is more important than the purpose.
  if (about !== "" && columns >= 90) start.push(span(`(${about}) `, { dim: true }));
  const used = start.reduce((sum, { text }) => sum + widthOf(text), 0);
  const ends = [facts, facts.slice(0, 2), facts.slice(0, 1), []].map((some) =>
    some.map((fact) => ` · ${fact}`).join(""),
  );
  const shown = ends.find((end) => columns - used - widthOf(end) >= Math.min(24, widthOf(selectionText))) ?? "";
  const room = Math.max(4, columns - used - widthOf(shown));
  return [...start, span(cutTo(selectionText, room), style), span(shown, { dim: true })];
}

/** True if its name does not already say what it is for. */
const isNamed = ({ name, description, agentType }: TeamTreeRow["task"]): boolean =>
  name !== description && description !== agentType && description !== "teammate";

function previewLine({ preview }: TeamTreeRow, { stem, columns }: { stem: string; columns: number }): Line {
  const lead = stem === "" ? "  says: " : `  ${stem}   `;
  const selectionText = visibleLine(oneLine(preview));
  return [span(lead, { role: "border" }), span(cutTo(selectionText, columns - widthOf(lead)), { dim: true })];
}

function stateText({ state, activity, task }: TeamTreeRow): { readonly selectionText: string; readonly style: Style } {
  switch (state) {
    case "starting":
      return { selectionText: "starts", style: { dim: true } };
    case "waiting":
      return { selectionText: "waiting for permission", style: { role: "warning" } };
    case "silent":
      return { selectionText: "not responding; x stops it", style: { role: "warning" } };
    case "idle":
      return { selectionText: "idle", style: { dim: true } };
    case "ended":
      return { selectionText: "done", style: { role: "success" } };
    case "failed":
      return { selectionText: `failed: ${visibleLine(task.error ?? "")}`, style: { role: "error" } };
    case "stopped":
      return { selectionText: "stopped", style: { dim: true } };
    case "working":
      return { selectionText: activityText(activity, task.progress.summary), style: {} };
  }
}

/** Describes an agent's current activity in a few words. */
function activityText(activity: Activity, summary: string | undefined): string {
  switch (activity.kind) {
    case "calls": {
      const [first = "", ...others] = activity.titles;
      return visibleLine(others.length === 0 ? first : `${first} and ${others.length} more`);
    }
    case "drafting":
      return `preparing ${visibleLine(activity.tool)}`;
    case "asking":
      return "waiting for permission";
    case "thinking":
      return "thinks";
    case "text":
      return "writes";
    case "requested":
      return summary === undefined ? "waiting for the model" : visibleLine(summary);
    case "waiting":
      return `waiting: ${visibleLine(activity.reason)}`;
    case "retrying":
      return `retrying (${activity.attempt}): ${visibleLine(activity.failure.message)}`;
    case "none":
      return summary === undefined ? "works" : visibleLine(summary);
  }
}

function hintLine({ viewSelectionMode, viewing }: Drawing["state"], columns: number): Line {
  const select = `${keyFor("app", "nextAgent")} to select an agent${viewing === undefined ? "" : ` · ${keyFor("app", "previousAgent")} to lead`}`;
  if (viewSelectionMode !== "selecting-agent") return [span(cutTo(`  ${select}`, columns), { dim: true })];
  const selectionText = `${keyFor("agents", "look")} view · ${keyFor("agents", "interrupt")} interrupt · ${keyFor("agents", "stop")} stop`;
  return [span(cutTo(selectionText, columns), { dim: true })];
}
