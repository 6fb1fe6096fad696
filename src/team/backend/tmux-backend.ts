import type { Clock } from "../../platform/index.ts";
import type { Member, SessionId } from "../../protocol/index.ts";
import type { Backend } from "./backend.ts";
import { closeServer } from "./tmux/close-server.ts";
import { socketNameFor } from "./tmux/own-socket.ts";
import { createPaneBackend } from "./tmux/pane-backend.ts";
import { createTmux } from "./tmux/tmux.ts";

export interface TmuxBackendOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly sessionId: SessionId;
  readonly placement: "own" | "user";
  /** The program that starts Troupe, with its arguments before the subcommand. */
  readonly program: readonly [string, ...string[]];
  readonly clock: Clock;
}

export interface TmuxBackend extends Backend {
  /** Stops watching the panes. The panes and their members keep running. */
  leave(): Promise<void>;
}

/** Runs each member in a tmux pane, in a separate process. Rejects with a TroupeError if tmux cannot be used. */
export async function createTmuxBackend(options: TmuxBackendOptions): Promise<TmuxBackend> {
  const env = Object.fromEntries(
    Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const tmux = await createTmux({ env, cwd: options.cwd });
  const name = socketNameFor(options.sessionId);
  const beside = options.placement === "user" && tmux.inside !== undefined;
  const teamOf = (member: Member) => member.agentId.slice(member.name.length + 1);
  const panes = createPaneBackend({
    tmux,
    placementFor: (member) => (beside ? { kind: "user" } : { kind: "own", name, label: teamOf(member) }),
    argvOf: (member) => [...options.program, "teammate", "--team", teamOf(member), "--name", member.name],
    env,
    clock: options.clock,
  });
  return {
    ...panes,
    leave: panes.close,
    async close() {
      await panes.close();
      if (!beside) await closeServer(tmux, tmux.socketPath(name));
    },
  };
}
