import type { TmuxPane } from "../../../protocol/index.ts";
import { closePane, type CloseOptions } from "./close-pane.ts";
import { isOwnSocket, removeDeadSocket } from "./own-socket.ts";
import { listPanes } from "./list-panes.ts";
import type { Tmux } from "./tmux.ts";

/** `kept`: the user opened something on the server, so the server keeps running. */
export type ServerEnd = "ended" | "kept";

/** Closes every pane of Troupe on a server of Troupe. The server ends with its last pane, and its socket is removed. */
export async function closeServer(tmux: Tmux, socket: string, options: CloseOptions = {}): Promise<ServerEnd> {
  if (!isOwnSocket(socket)) return "kept";
  const panes = await listPanes(tmux, socket);
  if (panes !== "none") {
    const ours = panes.filter((pane) => pane.mark !== "");
    await Promise.all(ours.map((pane: TmuxPane) => closePane(tmux, pane, options)));
  }
  return tmux.runExclusive(async () => {
    const left = await listPanes(tmux, socket);
    if (left !== "none" && left.length > 0) return "kept";
    return (await removeDeadSocket(socket, endsWithinMs)) ? "ended" : "kept";
  });
}

const endsWithinMs = 3000;
