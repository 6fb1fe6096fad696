import type { TmuxPane } from "../../../protocol/index.ts";
import type { TmuxGroup } from "./encode-commands.ts";
import { ifSamePane, isSamePane, listPanes } from "./list-panes.ts";
import { type PaneState, stateAmong } from "./pane-state.ts";
import { positionPane } from "./position-pane.ts";
import type { Tmux } from "./tmux.ts";

/** Moves a pane to a separate window. Its program keeps running. */
export function hidePane(tmux: Tmux, pane: TmuxPane): Promise<PaneState> {
  return tmux.runExclusive(async () => {
    const panes = await listPanes(tmux, pane.socket);
    const found = panes === "none" ? undefined : panes.find((one) => isSamePane(one, pane));
    if (found !== undefined) {
      const away: TmuxGroup = [
        ["break-pane", "-d", "-s", pane.paneId],
        ["rename-window", "-t", pane.paneId, "#{@troupe_title}"],
      ];
      const mark = ["set-option", "-p", "-t", pane.paneId, "@troupe_hidden", "1"];
      await tmux.run([[ifSamePane(pane, [mark, ...(found.windowPanes > 1 ? away : [])])]], pane);
    }
    return stateAmong(panes, pane);
  });
}

/** Moves a pane back beside the others, or beside the user's pane `anchor`. */
export function showPane(tmux: Tmux, pane: TmuxPane, anchor?: string): Promise<PaneState> {
  return tmux.runExclusive(async () => {
    const panes = await listPanes(tmux, pane.socket);
    const found = panes === "none" ? undefined : panes.find((one) => isSamePane(one, pane));
    if (found !== undefined) {
      const unmark = ["set-option", "-pu", "-t", pane.paneId, "@troupe_hidden"];
      await tmux.run([[ifSamePane(pane, [unmark])]], pane);
      if (found.windowPanes === 1)
        await positionPane(tmux, { socket: pane.socket, paneId: pane.paneId, ...(anchor !== undefined && { anchor }) });
    }
    return stateAmong(panes, pane);
  });
}
