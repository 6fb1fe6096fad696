import type { TmuxBackend, TmuxBackendOptions } from "./tmux-backend.ts";

/** Loads the code of the tmux backend only when a member needs it. */
export async function createTmuxBackend(options: TmuxBackendOptions): Promise<TmuxBackend> {
  const tmux = await import("./tmux-backend.ts");
  return tmux.createTmuxBackend(options);
}
