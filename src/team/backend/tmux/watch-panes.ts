import type { Clock } from "../../../platform/index.ts";
import { type TmuxPane, TroupeError } from "../../../protocol/index.ts";
import { removeDeadSocket } from "./own-socket.ts";
import { type FoundPane, listPanes } from "./list-panes.ts";
import { type PaneState, stateAmong } from "./pane-state.ts";
import type { Tmux } from "./tmux.ts";

export interface WatchOptions {
  /** Read again at every check. */
  panes(): readonly TmuxPane[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface LostPane {
  readonly pane: TmuxPane;
  readonly state: Exclude<PaneState, "there">;
}

/**
 * Yields each pane once when it is gone: closed by the user, ended with its program, or lost with its server. Asks each
 * server once a second. A server that does not answer has not lost its panes.
 */
export async function* watchPanes(tmux: Tmux, options: WatchOptions): AsyncGenerator<LostPane, void> {
  const { signal, clock } = options;
  const reported = new Set<string>();
  while (!signal.aborted) {
    const watched = options.panes().filter((pane) => !reported.has(pane.mark));
    for (const socket of new Set(watched.map((pane) => pane.socket))) {
      const panes = await readPaneList(tmux, socket);
      if (panes === "unanswered") continue;
      for (const pane of watched.filter((one) => one.socket === socket)) {
        const state = stateAmong(panes, pane);
        if (state === "there") continue;
        reported.add(pane.mark);
        yield { pane, state };
      }
      if (panes === "none") await tmux.runExclusive(() => removeDeadSocket(socket));
    }
    await pause(clock, signal);
  }
}

const everyMs = 1000;

async function readPaneList(tmux: Tmux, socket: string): Promise<readonly FoundPane[] | "none" | "unanswered"> {
  try {
    return await listPanes(tmux, socket);
  } catch (error) {
    if (TroupeError.is(error)) return "unanswered";
    throw error;
  }
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(everyMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
