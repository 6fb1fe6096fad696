import { endProcessTree, isAlive, type ProcessIdentity } from "../../../platform/index.ts";
import { type TmuxPane, TroupeError } from "../../../protocol/index.ts";
import { removeDeadSocket } from "./own-socket.ts";
import { processMark } from "./open-pane.ts";
import { ifSamePane, isSamePane, listPanes } from "./list-panes.ts";
import { type PaneState, stateAmong } from "./pane-state.ts";
import type { Tmux } from "./tmux.ts";

export interface CloseOptions {
  /** Between SIGTERM and SIGKILL for the program in the pane. */
  readonly graceMs?: number;
}

/**
 * Ends the program in a pane with all that it started, and then the pane, if it is still the very pane that was made.
 * Gives back what it was before: only of `there` anything was touched. When it resolves, pane and program are gone.
 */
export async function closePane(tmux: Tmux, pane: TmuxPane, options: CloseOptions = {}): Promise<PaneState> {
  const panes = await listPanes(tmux, pane.socket);
  const found = panes === "none" ? undefined : panes.find((one) => isSamePane(one, pane));
  if (found !== undefined) {
    if (!found.dead && found.pid > 0)
      await endProcessTree({ leader: found.pid, mark: processMark(pane.mark) }, options.graceMs ?? defaultGraceMs);
    await askToClose(tmux, pane);
  }
  await assertPaneClosed(tmux, pane);
  return stateAmong(panes, pane);
}

const askToClose = (tmux: Tmux, pane: TmuxPane) =>
  tmux.runExclusive(() => tmux.run([[ifSamePane(pane, [["kill-pane", "-t", pane.paneId]])]], pane));

async function assertPaneClosed(tmux: Tmux, pane: TmuxPane): Promise<void> {
  let left = await listPanes(tmux, pane.socket);
  // A server that has much to do lists a pane for a while that it is already closing.
  for (const deadline = performance.now() + closesWithinMs; stateAmong(left, pane) === "there"; ) {
    if (performance.now() >= deadline)
      throw new TroupeError("team", `tmux did not close the pane ${pane.paneId} on ${pane.socket}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    // Asked again: a client that was ended by a signal may have taken the first word with it.
    await askToClose(tmux, pane);
    left = await listPanes(tmux, pane.socket);
  }
  if (left === "none" || left.length === 0)
    await tmux.runExclusive(() => removeDeadSocket(pane.socket, serverEndsWithinMs));
}

/**
 * Ends a program that its pane did not take with it: a closed pane is only a hang-up to it, and one may take long over
 * that or not heed it at all.
 */
export async function endProgram(pane: TmuxPane, program: ProcessIdentity, options: CloseOptions = {}): Promise<void> {
  if (isAlive(program) === "dead") return;
  await endProcessTree({ leader: program.pid, mark: processMark(pane.mark) }, options.graceMs ?? defaultGraceMs);
}

const defaultGraceMs = 3000;

const closesWithinMs = 15_000;

/** After its last pane. */
const serverEndsWithinMs = 3000;
