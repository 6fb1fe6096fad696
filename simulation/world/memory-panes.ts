import { type Clock, sleepUnlessAborted } from "../../src/platform/index.ts";
import type { Member, TmuxPane } from "../../src/protocol/index.ts";
import type { MemoryProcess } from "../../src/store/index.ts";
import type { Backend, RunningMember } from "../../src/team/backend/backend.ts";

/** A terminal server in memory. Its panes and the programs in them outlive the lead that opened them. */
export interface MemoryPanes {
  /** The backend of one process of the lead. */
  open(lead: Pick<MemoryProcess, "clock">): Backend;
  /** The open panes, oldest first. */
  all(): readonly TmuxPane[];
  /** The program in the pane dies at once, and the pane with it. */
  killProgram(pane: TmuxPane): void;
  /** The user closes the pane. Its program has a moment to stop. */
  closePane(pane: TmuxPane): Promise<void>;
}

export interface MemoryPaneOptions {
  readonly clock: Clock;
  readonly startProcess: () => MemoryProcess;
  /** Runs the program of a member in its own process. */
  readonly run: (member: Member, process: MemoryProcess) => Promise<PaneProgram>;
}

export interface PaneProgram {
  readonly ended: Promise<unknown>;
  /** Stops at the end of its terminal. */
  hangUp(): Promise<void>;
}

interface OpenPane {
  readonly pane: TmuxPane;
  readonly process: MemoryProcess;
  /** Undefined while it starts. */
  program?: PaneProgram;
}

/** The time between the end of the terminal and the end of the program. */
const graceMs = 3_000;
/** The interval at which a lead looks at its panes. */
const everyMs = 1_000;

export function createMemoryPanes({ clock: worldClock, startProcess, run }: MemoryPaneOptions): MemoryPanes {
  const panes = new Map<string, OpenPane>();
  let opened = 0;

  const exit = ({ pane, process }: OpenPane) => {
    panes.delete(pane.mark);
    process.kill();
  };

  const openPane = (member: Member): OpenPane => {
    opened += 1;
    const mark = String(opened).padStart(32, "0");
    const process = startProcess();
    const open: OpenPane = { pane: { socket: "/memory/panes", serverPid: 1, paneId: `%${opened}`, mark }, process };
    panes.set(mark, open);
    // A program that cannot start, or fails, leaves no pane.
    const over = () => exit(open);
    run(member, process)
      .then((program) => {
        open.program = program;
        return program.ended;
      })
      .then(over, over);
    return open;
  };

  const close = async (open: OpenPane) => {
    if (!panes.delete(open.pane.mark)) return;
    const { program, process } = open;
    const late = new AbortController();
    const stopped = program?.hangUp().catch(() => undefined);
    await Promise.race([stopped, sleepUnlessAborted(worldClock, graceMs, late.signal)]);
    late.abort();
    process.kill();
  };

  const open = ({ clock }: Pick<MemoryProcess, "clock">): Backend => {
    const watched = new Map<string, (why: string | undefined) => void>();
    const over = new AbortController();
    let watching: Promise<void> | undefined;

    const watch = async () => {
      do for (const [mark, lost] of watched) if (!panes.has(mark)) lost("its pane is gone");
      while (await sleepUnlessAborted(clock, everyMs, over.signal));
    };

    const keep = (held: OpenPane): RunningMember => {
      const { mark } = held.pane;
      let isKilled = false;
      const ended = new Promise<string | undefined>((resolve) => {
        watched.set(mark, (why) => {
          watched.delete(mark);
          held.process.kill();
          resolve(isKilled ? undefined : why);
        });
      });
      watching ??= watch();
      const kill = async () => {
        isKilled = true;
        await close(held);
        watched.get(mark)?.(undefined);
        await ended;
      };
      return { pane: held.pane, ended, kill };
    };

    return {
      type: "tmux",
      start: async (member) => keep(openPane(member)),
      attach: async ({ pane }) => {
        const found = pane && panes.get(pane.mark);
        return found && keep(found);
      },
      close: async () => {
        over.abort();
        await watching;
      },
    };
  };

  const at = ({ mark }: TmuxPane) => panes.get(mark);

  return {
    open,
    all: () => [...panes.values()].map(({ pane }) => pane),
    killProgram: (pane) => {
      const found = at(pane);
      if (found) exit(found);
    },
    closePane: async (pane) => {
      const found = at(pane);
      if (found) await close(found);
    },
  };
}
