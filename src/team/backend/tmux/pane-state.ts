import type { TmuxPane } from "../../../protocol/index.ts";
import { type FoundPane, isSamePane, listPanes } from "./list-panes.ts";
import type { Tmux } from "./tmux.ts";

/**
 * `foreign`: on that socket a pane has the same id, but it is not the one that was made: the server is another one, or the
 * mark is missing.
 */
export type PaneState = "there" | "gone" | "foreign";

/** Rejects when the server does not answer: that is not the same as a pane that is gone. */
export async function paneState(tmux: Tmux, pane: TmuxPane): Promise<PaneState> {
  return stateAmong(await listPanes(tmux, pane.socket), pane);
}

export function stateAmong(panes: readonly FoundPane[] | "none", pane: TmuxPane): PaneState {
  const found = panes === "none" ? undefined : panes.find((one) => one.paneId === pane.paneId);
  if (found === undefined) return "gone";
  return isSamePane(found, pane) ? "there" : "foreign";
}
