import type { TmuxPane } from "../../protocol/index.ts";
import type { PaneState } from "./tmux/pane-state.ts";

export interface MovedPane {
  /** What it was before: only of `there` anything was touched. */
  readonly state: PaneState;
  /** What a user types to look at it. */
  readonly attach: string;
}

/** Puts a member's pane out of sight, or back beside the others. Its program goes on. */
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
