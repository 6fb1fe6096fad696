import type { TmuxBackend, TmuxBackendOptions } from "./tmux-backend.ts";

/** Members in panes of tmux; its code is loaded for those who have some. */
export async function createTmuxBackend(options: TmuxBackendOptions): Promise<TmuxBackend> {
  const tmux = await import("./tmux-backend.ts");
  return tmux.createTmuxBackend(options);
}
