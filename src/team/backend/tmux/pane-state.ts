import type { TmuxPane } from "../../../protocol/index.ts";
import { type FoundPane, isSamePane, listPanes } from "./list-panes.ts";
import type { Tmux } from "./tmux.ts";

/**
 * `foreign`: a pane on that socket has the same id but is not the one that Troupe made. Its server differs, or the mark
 * is missing.
 */
export type PaneState = "there" | "gone" | "foreign";

/** Rejects if the server does not answer, which does not mean that the pane is gone. */
export async function paneState(tmux: Tmux, pane: TmuxPane): Promise<PaneState> {
  return stateAmong(await listPanes(tmux, pane.socket), pane);
}

export function stateAmong(panes: readonly FoundPane[] | "none", pane: TmuxPane): PaneState {
  const found = panes === "none" ? undefined : panes.find((one) => one.paneId === pane.paneId);
  if (found === undefined) return "gone";
  return isSamePane(found, pane) ? "there" : "foreign";
}
