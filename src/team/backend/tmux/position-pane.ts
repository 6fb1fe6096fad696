import type { TmuxGroup } from "./encode-commands.ts";
import { type FoundPane, listPanes } from "./list-panes.ts";
import type { Tmux } from "./tmux.ts";

export interface PanePosition {
  readonly socket: string;
  readonly paneId: string;
  /** The user's pane to go beside. Without it the pane goes beside other panes of Troupe. */
  readonly anchor?: string;
}

/**
 * Moves a pane from its own window beside the others if there is room. Otherwise it stays a window with an ordinary
 * number. Zoomed windows are left alone. The focus does not change.
 */
export async function positionPane(tmux: Tmux, position: PanePosition): Promise<void> {
  const panes = await listPanes(tmux, position.socket);
  if (panes === "none") return;
  const pane = panes.find((one) => one.paneId === position.paneId);
  if (pane === undefined) return;
  const commands = joinCommands(pane, windowFor(pane, panes, position.anchor), position.anchor);
  if (commands !== undefined) {
    const answer = await tmux.run([commands], position);
    // A missing room, pane or window is not a failure.
    if (answer.ok) return;
  }
  await tmux.run([[["move-window", "-d", "-s", pane.windowId, "-t", `${pane.sessionId}:`]]], position);
}

/** The panes of the window that it goes to. */
function windowFor(
  pane: FoundPane,
  panes: readonly FoundPane[],
  anchor: string | undefined,
): readonly FoundPane[] | undefined {
  const windows = new Map<string, FoundPane[]>();
  for (const one of panes) windows.set(one.windowId, [...(windows.get(one.windowId) ?? []), one]);
  windows.delete(pane.windowId);
  return [...windows.values()].find((window) => {
    if (window.some((one) => one.zoomed)) return false;
    if (anchor !== undefined) return window.some((one) => one.paneId === anchor);
    return window.length < maxInWindow && window.every((one) => one.mark !== "" && !one.hidden);
  });
}

const maxInWindow = 12;

function joinCommands(
  pane: FoundPane,
  window: readonly FoundPane[] | undefined,
  anchor: string | undefined,
): TmuxGroup | undefined {
  if (window === undefined) return undefined;
  const ours = window.filter((one) => one.mark !== "" && !one.hidden);
  const candidates = ours.length > 0 ? ours : window.filter((one) => one.paneId === anchor);
  const target = candidates.reduce((best, one) => (one.width * one.height > best.width * best.height ? one : best));
  // A character is about twice as high as it is wide. The first pane beside the user's goes to the right.
  const across = target.paneId === anchor || target.width > 2 * target.height;
  const join = ["join-pane", "-d", across ? "-h" : "-v", "-s", pane.paneId, "-t", target.paneId];
  // Keep a layout that the user arranged.
  if (window.some((one) => one.mark === "" && one.paneId !== anchor)) {
    const { width, height } = target;
    return isReadable(across ? width / 2 : width, across ? height : height / 2) ? [join] : undefined;
  }
  const layout = layoutFor(target, ours.length + 1, anchor);
  return layout && [join, ...layout];
}

/** Undefined if the panes would be too small to read. */
function layoutFor(target: FoundPane, count: number, anchor: string | undefined): TmuxGroup | undefined {
  const { windowWidth: width, windowHeight: height } = target;
  if (anchor !== undefined && isReadable(width / 2, height / count)) {
    const half = String(Math.floor(width / 2));
    return [
      ["select-layout", "-t", anchor, "main-vertical"],
      ["resize-pane", "-t", anchor, "-x", half],
    ];
  }
  const all = anchor === undefined ? count : count + 1;
  const rows = Math.ceil(Math.sqrt(all));
  const fits = isReadable(width / Math.ceil(all / rows), height / rows);
  if (!fits) return undefined;
  const tiled = ["select-layout", "-t", target.paneId, "tiled"];
  return anchor === undefined ? [tiled, ["rename-window", "-t", target.paneId, "agents"]] : [tiled];
}

const isReadable = (width: number, height: number) => width >= 24 && height >= 7;
