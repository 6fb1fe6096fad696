import { endProcessTree, isAlive, type ProcessIdentity } from "../../../platform/index.ts";
import { type TmuxPane, TroupeError } from "../../../protocol/index.ts";
import { removeDeadSocket } from "./own-socket.ts";
import { processMark } from "./open-pane.ts";
import { ifSamePane, isSamePane, listPanes } from "./list-panes.ts";
import { type PaneState, stateAmong } from "./pane-state.ts";
import type { Tmux } from "./tmux.ts";

export interface CloseOptions {
  /** The time between SIGTERM and SIGKILL for the program in the pane. */
  readonly graceMs?: number;
}

/**
 * Ends the program in a pane with every process it started, then closes the pane, if it is still the pane that Troupe
 * made. Returns the state before; only a pane that was `there` is touched. When it resolves, pane and program are gone.
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
  // A busy server still lists a pane for a while after it began to close it.
  for (const deadline = performance.now() + closesWithinMs; stateAmong(left, pane) === "there"; ) {
    if (performance.now() >= deadline)
      throw new TroupeError("team", `tmux did not close the pane ${pane.paneId} on ${pane.socket}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    // Ask again: the first request is lost if a signal ended its tmux client.
    await askToClose(tmux, pane);
    left = await listPanes(tmux, pane.socket);
  }
  if (left === "none" || left.length === 0)
    await tmux.runExclusive(() => removeDeadSocket(pane.socket, serverEndsWithinMs));
}

/**
 * Ends a program that outlives its pane. A closed pane only sends SIGHUP, which a program may ignore or handle slowly.
 */
export async function endProgram(pane: TmuxPane, program: ProcessIdentity, options: CloseOptions = {}): Promise<void> {
  if (isAlive(program) === "dead") return;
  await endProcessTree({ leader: program.pid, mark: processMark(pane.mark) }, options.graceMs ?? defaultGraceMs);
}

const defaultGraceMs = 3000;

const closesWithinMs = 15_000;

/** After the last pane is closed. */
const serverEndsWithinMs = 3000;
