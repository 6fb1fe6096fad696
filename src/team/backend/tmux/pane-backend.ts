import { type Clock, identifyProcess, type ProcessIdentity } from "../../../platform/index.ts";
import { type Member, messageOf, type TmuxPane } from "../../../protocol/index.ts";
import type { Backend, RunningMember } from "../backend.ts";
import { closePane, endProgram } from "./close-pane.ts";
import { isSamePane, listPanes } from "./list-panes.ts";
import { openPane, type PanePlacement } from "./open-pane.ts";
import { removeDeadSocket } from "./own-socket.ts";
import type { Tmux } from "./tmux.ts";
import { watchPanes } from "./watch-panes.ts";

export interface PaneBackendOptions {
  readonly tmux: Tmux;
  placementFor(member: Member): PanePlacement;
  /** The command line that runs a member. */
  argvOf(member: Member): readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The time between SIGTERM and SIGKILL for a member that is killed or whose pane was closed. */
  readonly graceMs?: number;
}

interface Watched {
  readonly pane: TmuxPane;
  /** Called when the pane is gone. */
  lost(why: string | undefined): void;
}

/** Runs each member in a pane, in a separate process. One loop watches all panes. */
export function createPaneBackend(options: PaneBackendOptions): Backend {
  const { tmux, graceMs } = options;
  const grace = graceMs === undefined ? {} : { graceMs };
  const watched = new Map<string, Watched>();
  const sockets = new Set<string>();
  const over = new AbortController();
  let watching: Promise<void> | undefined;

  const watch = async () => {
    const panes = () => [...watched.values()].map(({ pane }) => pane);
    try {
      for await (const { pane, state } of watchPanes(tmux, { panes, signal: over.signal, clock: options.clock }))
        watched.get(pane.mark)?.lost(state === "gone" ? "its pane is gone" : "its pane now belongs to another program");
    } catch (error) {
      // Without a watch, a lost member would go unnoticed. So report every member as lost.
      const why = `its pane cannot be watched: ${messageOf(error)}`;
      for (const each of watched.values()) each.lost(why);
    }
  };

  const keep = (pane: TmuxPane, program: ProcessIdentity | undefined): RunningMember => {
    /** The look of once a second may see that the pane is gone before `kill` is through. */
    let isKilled = false;
    const ended = new Promise<string | undefined>((resolve, reject) => {
      const lost = (why: string | undefined) => {
        if (!watched.delete(pane.mark)) return;
        const over = program === undefined ? Promise.resolve() : endProgram(pane, program, grace);
        over.then(() => resolve(isKilled ? undefined : why), reject);
      };
      watched.set(pane.mark, { pane, lost });
    });
    sockets.add(pane.socket);
    watching ??= watch();
    return {
      pane,
      ended,
      async kill() {
        isKilled = true;
        await closePane(tmux, pane, grace);
        watched.get(pane.mark)?.lost(undefined);
        await ended;
      },
    };
  };

  return {
    type: "tmux",
    async start(member) {
      const { pane, program } = await openPane(tmux, {
        placement: options.placementFor(member),
        title: member.name,
        ...(member.color && { color: member.color }),
        argv: options.argvOf(member),
        cwd: member.cwd,
        env: options.env,
      });
      return keep(pane, program);
    },
    async attach({ pane }) {
      if (pane === undefined) return undefined;
      const panes = await listPanes(tmux, pane.socket);
      const found = panes === "none" ? undefined : panes.find((one) => isSamePane(one, pane));
      return found && keep(pane, identifyProcess(found.pid));
    },
    async close() {
      over.abort(new DOMException("the panes are no longer watched", "AbortError"));
      await watching;
      for (const socket of sockets) await tmux.runExclusive(() => removeDeadSocket(socket));
    },
  };
}
