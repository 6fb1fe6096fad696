import { basename } from "node:path";
import type { TmuxPane } from "../../../protocol/index.ts";
import { isOwnSocket } from "./own-socket.ts";
import { ownSession } from "./open-pane.ts";
import type { Tmux } from "./tmux.ts";

/** The command with which a user opens a pane. */
export function attachHint(tmux: Tmux, pane: TmuxPane): string {
  const name = basename(pane.socket);
  if (!isOwnSocket(pane.socket)) return `tmux switch-client -t '${pane.paneId}'`;
  const usual = pane.socket === tmux.socketPath(name);
  return `tmux ${usual ? `-L ${name}` : `-S ${shellWord(pane.socket)}`} attach -t ${ownSession}`;
}

const shellWord = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
