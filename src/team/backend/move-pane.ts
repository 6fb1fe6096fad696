import type { TmuxPane } from "../../protocol/index.ts";
import type { PaneState } from "./tmux/pane-state.ts";

export interface MovedPane {
  /** The state before the move. Only a pane that was `there` is moved. */
  readonly state: PaneState;
  /** The command with which a user opens the pane. */
  readonly attach: string;
}

/** Hides a member's pane, or shows it beside the others. Its program keeps running. */
export async function movePane(
  pane: TmuxPane,
  { hidden, env, cwd }: { hidden: boolean; env: Readonly<Record<string, string>>; cwd: string },
): Promise<MovedPane> {
  const [{ createTmux }, { hidePane, showPane }, { attachHint }] = await Promise.all([
    import("./tmux/tmux.ts"),
    import("./tmux/hide-pane.ts"),
    import("./tmux/attach-hint.ts"),
  ]);
  const tmux = await createTmux({ env, cwd });
  const anchor = tmux.inside?.socket === pane.socket ? tmux.inside.paneId : undefined;
  const state = hidden ? await hidePane(tmux, pane) : await showPane(tmux, pane, anchor);
  return { state, attach: attachHint(tmux, pane) };
}
