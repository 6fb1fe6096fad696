import type { Clock } from "../../platform/index.ts";
import type { Member, SessionId, TmuxPane } from "../../protocol/index.ts";
import type { Backend, RunningMember } from "./backend.ts";
import { closePane } from "./tmux/close-pane.ts";
import { closeServer } from "./tmux/close-server.ts";
import { openPane } from "./tmux/open-pane.ts";
import { socketNameFor } from "./tmux/own-socket.ts";
import { paneState } from "./tmux/pane-state.ts";
import { createTmux } from "./tmux/tmux.ts";
import { watchPanes } from "./tmux/watch-panes.ts";

export interface TmuxBackendOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly sessionId: SessionId;
  readonly placement: "own" | "user";
  /** What starts Troupe: a program and what comes before the subcommand. */
  readonly program: readonly [string, ...string[]];
  readonly clock: Clock;
}

/** Members in panes of tmux, each in a process of its own. Rejects with a TroupeError where tmux cannot be used. */
export async function createTmuxBackend(options: TmuxBackendOptions): Promise<Backend> {
  const env = Object.fromEntries(
    Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const tmux = await createTmux({ env, cwd: options.cwd });
  const over = new AbortController();
  const watched = new Map<string, { readonly pane: TmuxPane; readonly lost: (why: string) => void }>();
  let watching: Promise<void> | undefined;

  const watch = async () => {
    const panes = () => [...watched.values()].map(({ pane }) => pane);
    for await (const { pane, state } of watchPanes(tmux, { panes, signal: over.signal, clock: options.clock })) {
      watched.get(pane.mark)?.lost(state === "gone" ? "its pane is gone" : "its pane is somebody else's now");
      watched.delete(pane.mark);
    }
  };

  const follow = (pane: TmuxPane): RunningMember => {
    const ended = new Promise<string | undefined>((lost) => watched.set(pane.mark, { pane, lost }));
    if (!watching) {
      watching = watch().catch((error: unknown) => {
        const why = `tmux cannot be asked any more: ${error instanceof Error ? error.message : String(error)}`;
        for (const { lost } of watched.values()) lost(why);
        watched.clear();
      });
    }
    return { pane, ended, kill: async () => void (await closePane(tmux, pane)) };
  };

  return {
    type: "tmux",
    async start(member: Member) {
      const team = member.agentId.slice(member.name.length + 1);
      const [program, ...words] = options.program;
      const { pane } = await openPane(tmux, {
        placement:
          options.placement === "user" && tmux.inside
            ? { kind: "user" }
            : { kind: "own", name: socketNameFor(options.sessionId), label: team },
        title: member.name,
        ...(member.color && { color: member.color }),
        argv: [program, ...words, "teammate", "--team", team, "--name", member.name],
        cwd: member.cwd,
        env,
      });
      return follow(pane);
    },
    async attach({ pane }) {
      return pane && (await paneState(tmux, pane)) === "there" ? follow(pane) : undefined;
    },
    async close() {
      over.abort(new DOMException("nobody looks any more", "AbortError"));
      await watching;
      if (options.placement === "own") await closeServer(tmux, tmux.socketPath(socketNameFor(options.sessionId)));
    },
  };
}
